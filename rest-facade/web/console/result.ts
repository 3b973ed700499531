import type {
  AllFacesAnswer,
  DetectedFace,
  FusedMeterAnswer,
  MeterAnswer,
  SingleFaceAnswer,
} from '../../../sdk/typescript/rest-answers.js';
import { byId, codeText, floor, html, toPercent } from './dom.js';
import { clearOverlay, drawFaces, drawReading, highlight } from './overlay.js';

const result = byId('result', HTMLElement);
const summary = byId('summary', HTMLElement);
const findings = byId('findings', HTMLElement);
const saves = byId('saves', HTMLElement);

/** Says what was found, or that it is looked for. */
export function tell(text: string): void {
  summary.textContent = text;
  result.hidden = saves.hidden = false;
}

/**
 * Said where the result will be: screen readers announce a status that changes, not one that appears.
 * @returns false where an earlier result still stands
 */
export function tellBusy(): boolean {
  if (!result.hidden) return false;
  tell('Analysing…');
  // What could be saved is an earlier answer's.
  saves.hidden = true;
  return true;
}

export function clearResult(): void {
  clearOverlay();
  findings.replaceChildren();
  result.hidden = true;
}

/** @param toLower what was asked for that leaves faces out */
export function showFaces(answer: SingleFaceAnswer | AllFacesAnswer, toLower: string, elapsedMs: number): void {
  const faces = 'result' in answer ? answer.result : [answer];
  const scores = faces.map((face) => Number(face.detection_score));
  drawFaces(faces, answer.image);
  findings.replaceChildren(listFaces(faces));
  const best = faces.length === 0 ? '' : `, best score ${floor(Math.max(...scores), 3)}`;
  const advice = faces.length > 0 ? '' : ` Lower ${toLower}, or try a picture in which the face is larger or sharper.`;
  tell(`${countFaces(faces.length)}${best}, in ${Math.round(elapsedMs)} ms.${advice}`);
}

export function countFaces(count: number): string {
  return count === 1 ? '1 face' : `${count || 'No'} faces`;
}

/** The faces as a list of crops with scores; pointing at one marks its box. */
function listFaces(faces: readonly DetectedFace[]): HTMLElement {
  const list = html('ol', { class: 'faces' });
  faces.forEach(({ bbox, detection_score: score, face }, index) => {
    const size = `${Math.round(bbox.xmax - bbox.xmin)} × ${Math.round(bbox.ymax - bbox.ymin)} px`;
    const button = html('button', { type: 'button' });
    if (face !== undefined) button.append(html('img', { src: `data:image/jpeg;base64,${face}`, alt: '' }));
    button.append(
      html('span', { class: 'hidden' }, `Face ${index + 1}, score `),
      html('strong', {}, floor(Number(score), 3)),
      html('small', {}, size),
    );
    pointOut(button, index);
    list.append(html('li', {}, button));
  });
  return list;
}

/** @param meaningOf what a warning means */
export function showMeter(
  reading: MeterAnswer & Partial<FusedMeterAnswer>,
  meaningOf: (warning: string) => string,
  elapsedMs: number,
): void {
  drawReading(reading);
  findings.replaceChildren(createReading(reading, meaningOf));
  const { value, unit, confidence, digits_confidence: digits, fraction_confidence: point, photos } = reading;
  const parts =
    digits === undefined || point === undefined
      ? ''
      : ` (digits ${toPercent(digits)}, decimal point ${toPercent(point)})`;
  const from = photos ? `, from ${photos.filter(({ agrees }) => agrees).length} of ${photos.length} photos` : '';
  const sure = `${toPercent(confidence)} confidence${parts}${reading.status === 'ok' ? '' : ', needs review'}`;
  tell(`${value} ${unit.replace('m3', 'm³')}, ${sure}${from}, in ${Math.round(elapsedMs)} ms.`);
}

/** A reading as wheels, each with its confidence; pointing at one marks its digit. */
function createReading(reading: MeterAnswer, meaningOf: (warning: string) => string): HTMLElement {
  const whole = reading.value.includes('.') ? reading.value.indexOf('.') : reading.digits.length;
  const wheels = html('ol', { class: 'wheels', 'aria-label': 'Digits' });
  reading.digits.forEach(({ digit, confidence }, index) => {
    const wheel = html(
      'button',
      { type: 'button' },
      html('b', {}, digit),
      html('meter', { min: 0, max: 1, low: 0.9, optimum: 1, value: confidence, 'aria-hidden': 'true' }),
      html('small', {}, toPercent(confidence)),
      html('span', { class: 'hidden' }, index >= whole ? 'confidence, fraction' : 'confidence'),
    );
    pointOut(wheel, index);
    wheels.append(html('li', index >= whole ? { class: 'fraction' } : {}, wheel));
  });
  const isSure = reading.status === 'ok';
  const badge = html('p', { class: isSure ? 'badge good' : 'badge doubt' }, isSure ? 'OK' : 'Needs review');
  const warnings = reading.warnings.map((warning) => html('li', {}, ...codeText(meaningOf(warning))));
  const list = warnings.length > 0 ? [html('ul', { class: 'warnings' }, ...warnings)] : [];
  return html('div', {}, wheels, badge, ...list);
}

function pointOut(element: HTMLElement, index: number): void {
  for (const event of ['mouseenter', 'focus']) element.addEventListener(event, () => highlight(index));
  for (const event of ['mouseleave', 'blur']) element.addEventListener(event, () => highlight(undefined));
}
