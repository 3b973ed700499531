import type {
  AllFacesAnswer,
  FusedMeterAnswer,
  MeterAnswer,
  SingleFaceAnswer,
} from '../../../sdk/typescript/rest-answers.js';
import { byId, floor, toPercent } from './dom.js';
import { listFaces, showReading } from './findings.js';
import { clearOverlay, drawFaces, drawReading } from './overlay.js';

const result = byId('result', HTMLElement);
const summary = byId('summary', HTMLElement);
const findings = byId('findings', HTMLElement);

/** Says what was found; or that it is looked for, unless an earlier result still stands. */
export function tell(text: string): void {
  summary.textContent = text;
  result.hidden = false;
}

/** Said where the result will be: screen readers announce a status that changes, not one that appears. */
export function tellBusy(): void {
  if (result.hidden) tell('Analysing…');
}

export function clearResult(): void {
  clearOverlay();
  findings.replaceChildren();
  result.hidden = true;
}

export function showFaces(answer: SingleFaceAnswer | AllFacesAnswer, elapsedMs: number): void {
  const faces = 'result' in answer ? answer.result : [answer];
  const scores = faces.map((face) => Number(face.detection_score));
  drawFaces(faces, answer.image);
  findings.replaceChildren(listFaces(faces));
  const best = faces.length === 0 ? '' : `, best score ${floor(Math.max(...scores), 3)}`;
  const advice =
    faces.length > 0 ? '' : ' Lower the threshold, or try a picture in which the face is larger or sharper.';
  tell(`${countFaces(faces.length)}${best}, in ${Math.round(elapsedMs)} ms.${advice}`);
}

export function countFaces(count: number): string {
  return count === 1 ? '1 face' : `${count || 'No'} faces`;
}

/** @param meaningOf what a warning means */
export function showMeter(
  reading: MeterAnswer & Partial<FusedMeterAnswer>,
  meaningOf: (warning: string) => string,
  elapsedMs: number,
): void {
  drawReading(reading);
  findings.replaceChildren(showReading(reading, meaningOf));
  const { value, unit, confidence, digits_confidence: digits, fraction_confidence: point, photos } = reading;
  const parts =
    digits === undefined || point === undefined
      ? ''
      : ` (digits ${toPercent(digits)}, decimal point ${toPercent(point)})`;
  const from = photos ? `, from ${photos.filter(({ agrees }) => agrees).length} of ${photos.length} photos` : '';
  const sure = `${toPercent(confidence)} confidence${parts}`;
  tell(`${value} ${unit.replace('m3', 'm³')}, ${sure}${from}, in ${Math.round(elapsedMs)} ms.`);
}
