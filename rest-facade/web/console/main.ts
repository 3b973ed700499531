import type {
  AllFacesAnswer,
  BoundingBox,
  MeterAnswer,
  SingleFaceAnswer,
} from '../../../sdk/typescript/rest-answers.js';
import { type ApiRequest, keyName, type Mode, pathOf, Refusal, send, sendForFile } from './api.js';
import { connectCamera } from './camera.js';
import { byId } from './dom.js';
import { listFaces, showReading } from './findings.js';
import { floor, toPercent } from './numbers.js';
import { connectOptions } from './options.js';
import { clearOverlay, drawFaces, drawReading, highlight, type Size } from './overlay.js';
import { connectPictures } from './pictures.js';
import { describeProblem } from './problem.js';
import { createRequestView } from './request-view.js';
import { annotate, save } from './save.js';
import { connectThreshold } from './threshold.js';
import { connectZoom } from './zoom.js';

/** A short wait needs no notice. */
const busyAfterMs = 150;

const key = byId('key', HTMLInputElement);
const keyPanel = byId('key-panel', HTMLDetailsElement);
const keyState = byId('key-state', HTMLElement);
const figure = byId('figure', HTMLElement);
const picture = byId('picture', HTMLImageElement);
const overlay = byId('overlay', SVGSVGElement);
const notice = byId('notice', HTMLElement);
const problem = byId('problem', HTMLElement);
const empty = byId('empty', HTMLElement);
const samples = byId('samples', HTMLElement);
const result = byId('result', HTMLElement);
const summary = byId('summary', HTMLElement);
const findings = byId('findings', HTMLElement);
const busy = byId('busy', HTMLElement);
const saveHidden = byId('save-hidden', HTMLButtonElement);

let file: File | undefined;
let mode: Mode = 'all';
let running: AbortController | undefined;
let answered: unknown;

const view = createRequestView();
const analyseAgain = () => void analyse();
const threshold = connectThreshold({
  apiKey: () => key.value,
  onChange: analyseAgain,
  onRequest: (request) => view.showRequest(request),
  onAnswer: (body) => view.showAnswer(body),
});
const options = connectOptions(analyseAgain, note);

/** Asks the service about the picture; a later question replaces an earlier one. */
async function analyse(): Promise<void> {
  if (file === undefined) return;
  const asked = mode;
  const form: [string, string | File][] = [['file', file]];
  if (asked !== 'meter') form.push(...threshold.read());
  form.push(...options.read());
  const request: ApiRequest = { method: 'POST', path: pathOf[asked], form };
  view.showRequest(request);
  if (key.value === '') {
    fail(new Refusal('MISSING_API_KEY', 'Enter an API key first.'));
    return;
  }
  problem.hidden = true;
  // Said where the result will be: screen readers announce a status that changes, not one that appears.
  if (result.hidden) tell('Analysing…');
  running?.abort();
  const mine = (running = new AbortController());
  const timer = setTimeout(() => (busy.hidden = false), busyAfterMs);
  try {
    const startedAt = performance.now();
    const answer = await send(request, key.value, mine.signal);
    const elapsedMs = performance.now() - startedAt;
    keyPanel.open = false;
    view.showAnswer(answer);
    answered = answer;
    await picture.decode().catch(() => {});
    if (mine.signal.aborted) return;
    if (asked === 'meter') showMeter(answer as MeterAnswer, elapsedMs);
    else showFaces(answer as SingleFaceAnswer | AllFacesAnswer, elapsedMs);
  } catch (error) {
    if (!mine.signal.aborted) fail(error);
  } finally {
    clearTimeout(timer);
    if (running === mine) busy.hidden = true;
  }
}

function showFaces(answer: SingleFaceAnswer | AllFacesAnswer, elapsedMs: number): void {
  const faces = 'result' in answer ? answer.result : [answer];
  const scores = faces.map((face) => Number(face.detection_score));
  drawFaces(
    overlay,
    faces,
    sizeOf(
      faces.map(({ bbox }) => bbox),
      answer.image,
    ),
  );
  threshold.show(answer.threshold);
  findings.replaceChildren(listFaces(faces, (index) => highlight(overlay, index)));
  const found = faces.length === 1 ? '1 face' : `${faces.length || 'No'} faces`;
  const best = faces.length === 0 ? '' : `, best score ${floor(Math.max(...scores), 3)}`;
  const advice =
    faces.length > 0 ? '' : ' Lower the threshold, or try a picture in which the face is larger or sharper.';
  tell(`${found}${best}, in ${Math.round(elapsedMs)} ms.${advice}`);
}

function showMeter(reading: MeterAnswer, elapsedMs: number): void {
  drawReading(overlay, reading, sizeOf([reading.bbox]));
  findings.replaceChildren(showReading(reading, options.meaningOf, (index) => highlight(overlay, index)));
  const { value, unit, confidence, digits_confidence: digits, fraction_confidence: point } = reading;
  const parts =
    digits === undefined || point === undefined
      ? ''
      : ` (digits ${toPercent(digits)}, decimal point ${toPercent(point)})`;
  tell(
    `${value} ${unit.replace('m3', 'm³')}, ${toPercent(confidence)} confidence${parts}, in ${Math.round(elapsedMs)} ms.`,
  );
}

/** The upright size: from the service, from the browser, or, if that cannot display the type, what the boxes need. */
function sizeOf(boxes: readonly BoundingBox[], told?: Size): Size {
  if (told) return told;
  if (picture.naturalWidth > 0) return { width: picture.naturalWidth, height: picture.naturalHeight };
  return {
    width: Math.max(1, ...boxes.map(({ xmax }) => xmax)),
    height: Math.max(1, ...boxes.map(({ ymax }) => ymax)),
  };
}

function tell(text: string): void {
  summary.textContent = text;
  result.hidden = false;
}

/** The last answer is to a question that no longer stands, as is the one that is under way. */
function clearAnswer(): void {
  running?.abort();
  clearFindings();
  problem.hidden = true;
  view.clearAnswer();
}

function clearFindings(): void {
  clearOverlay(overlay);
  findings.replaceChildren();
  result.hidden = true;
}

function fail(error: unknown): void {
  clearFindings();
  problem.textContent = describeProblem(error);
  problem.hidden = false;
  if (error instanceof Refusal && error.reason.endsWith('_API_KEY')) {
    keyState.textContent = '';
    keyPanel.open = true;
    key.focus();
  }
  view.showAnswer(error instanceof Refusal ? error.body : undefined);
}

/** Saves the picture with its faces hidden: at the score for that, which is lower than the threshold. */
async function hideFaces(): Promise<void> {
  if (file === undefined) return;
  const request: ApiRequest = { method: 'POST', path: '/v1/faces/redact', form: [['file', file]] };
  view.showRequest(request);
  try {
    const hidden = await sendForFile(request, key.value);
    const extension = hidden.type.replace('image/', '').replace('jpeg', 'jpg');
    save(hidden, `${nameOfFile()}-redacted.${extension}`);
  } catch (error) {
    fail(error);
  }
}

/** Without folder and extension. */
function nameOfFile(): string {
  return (file?.name ?? 'picture').replace(/^.*\//, '').replace(/\.\w+$/, '');
}

function note(text: string): void {
  notice.textContent = text;
}

function showPicture(chosen: File): void {
  file = chosen;
  note('');
  if (picture.src.startsWith('blob:')) URL.revokeObjectURL(picture.src);
  picture.src = URL.createObjectURL(chosen);
  picture.alt = `The picture ${chosen.name}`;
  empty.hidden = true;
  moveSamples();
  figure.hidden = false;
  byId('zoom', HTMLElement).hidden = false;
  fit();
  clearAnswer();
  void analyse();
}

/** Below the picture. */
function moveSamples(): void {
  const focused = document.activeElement;
  byId('stage', HTMLElement).append(samples);
  // An element that is moved loses the focus.
  if (focused instanceof HTMLElement && samples.contains(focused)) focused.focus({ preventScroll: true });
}

async function trySample(name: string, wanted: Mode): Promise<void> {
  setMode(wanted);
  try {
    const answer = await fetch(`samples/${name}`);
    const blob = await answer.blob();
    // Not a proxy's page, nor a refusal.
    if (!blob.type.startsWith('image/')) throw new Error(`the sample is of type ${blob.type}`);
    // With its folder, so that the curl command works in the root of the repository.
    showPicture(new File([blob], `samples/${name}`, { type: blob.type }));
  } catch {
    fail(new Refusal('UNREACHABLE', 'The sample cannot be loaded from the service.'));
  }
}

function setMode(wanted: Mode): void {
  mode = wanted;
  const radio = document.querySelector<HTMLInputElement>(`[name=mode][value=${wanted}]`);
  if (radio) radio.checked = true;
  byId('threshold', HTMLElement).hidden = saveHidden.hidden = mode === 'meter';
  options.show(mode);
  clearAnswer();
}

byId('modes', HTMLElement).addEventListener('change', (event) => {
  setMode((event.target as HTMLInputElement).value as Mode);
  void analyse();
});
byId('key-form', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  key.value = key.value.trim();
  sessionStorage.setItem(keyName, key.value);
  keyState.textContent = key.value === '' ? '' : 'kept in this tab';
  void analyse();
});
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-sample]')) {
  button.addEventListener('click', () => {
    const { sample = '', mode: wanted } = button.dataset;
    void trySample(sample, wanted as Mode);
  });
}
picture.addEventListener('error', () => {
  figure.hidden = true;
  byId('zoom', HTMLElement).hidden = true;
  empty.hidden = false;
  note(`Your browser can't display ${file?.name}; it was still sent to the service.`);
});
byId('save-picture', HTMLButtonElement).addEventListener('click', () => {
  void annotate(picture, overlay).then((blob) => save(blob, `${nameOfFile()}-annotated.png`), fail);
});
byId('save-answer', HTMLButtonElement).addEventListener('click', () => {
  save(new Blob([JSON.stringify(answered, null, 2)], { type: 'application/json' }), `${nameOfFile()}.json`);
});
saveHidden.addEventListener('click', () => void hideFaces());
connectPictures(showPicture, note);
connectCamera(showPicture);
const fit = connectZoom();
const kept = sessionStorage.getItem(keyName) ?? '';
// Not over what was typed while this script was loaded.
if (kept !== '' && key.value === '') {
  key.value = kept;
  keyState.textContent = 'kept in this tab';
}
setMode('all');
