import type {
  AllFacesAnswer,
  FusedMeterAnswer,
  MeterAnswer,
  SingleFaceAnswer,
} from '../../../sdk/typescript/rest-answers.js';
import {
  type AnswerLine,
  type ApiRequest,
  batchPathOf,
  describeProblem,
  fusePath,
  type Mode,
  pathOf,
  Refusal,
  send,
  sendForLines,
  sendForPicture,
  splitFiles,
} from './api.js';
import { connectKey } from './api-key.js';
import { connectCamera } from './camera.js';
import { byId } from './dom.js';
import { connectOptions } from './options.js';
import { connectPictures } from './pictures.js';
import { createRequestView } from './request-view.js';
import { clearResult, countFaces, showFaces, showMeter, tell, tellBusy } from './result.js';
import { annotate, save } from './save.js';
import { connectStage } from './stage.js';
import { connectThreshold } from './threshold.js';

/** A short wait needs no notice. */
const busyAfterMs = 150;

const notice = byId('notice', HTMLElement);
const problem = byId('problem', HTMLElement);
const busy = byId('busy', HTMLElement);
const savePicture = byId('save-picture', HTMLButtonElement);
const saveHidden = byId('save-hidden', HTMLButtonElement);
const askEach = byId('ask-each', HTMLButtonElement);
const askAsOne = byId('ask-as-one', HTMLButtonElement);

let mode: Mode = 'all';
/** A question, or a sample on its way. */
let running: AbortController | undefined;
let answered: unknown;

let question = analyse;

const view = createRequestView();
const stage = connectStage(note);
const pictures = connectPictures(showPicture, note);
/** Asks what was asked last, once something else is wanted. */
const askAgain = () => {
  pictures.clearCaptions();
  void question();
};
const key = connectKey(askAgain);
const threshold = connectThreshold(view, key.value, askAgain);
const options = connectOptions(askAgain, note);

async function analyse(): Promise<void> {
  if (stage.file !== undefined)
    await ask(pathOf[mode], [stage.file], send, (answer, elapsedMs) => {
      if (mode === 'meter') return showMeter(answer as MeterAnswer, options.meaningOf, elapsedMs);
      const faces = answer as SingleFaceAnswer | AllFacesAnswer;
      const isSelective = options.read(pathOf[mode]).some(([name]) => name === 'min_quality');
      showFaces(faces, isSelective ? 'the threshold or min_quality' : 'the threshold', elapsedMs);
      threshold.show(faces.threshold);
    });
}

/** Asks about each picture of the strip, in as few calls as that takes. */
async function analyseEach(): Promise<void> {
  pictures.clearCaptions();
  await ask(
    batchPathOf[mode] ?? '',
    pictures.files(),
    async (request, apiKey, signal) => {
      const lines: AnswerLine[] = [];
      for (const part of splitFiles(request)) {
        const before = lines.length;
        const answers = await sendForLines(part, apiKey, signal, (line, index) => captionLine(line, before + index));
        lines.push(...answers.map((line) => ({ ...line, index: before + (line.index ?? 0) })));
      }
      return lines;
    },
    (lines: readonly AnswerLine[], elapsedMs) => {
      clearResult();
      const refused = lines.filter(({ reason }) => reason !== undefined);
      const refusals = refused.length === 0 ? '' : `, ${refused.length} refused`;
      const time = Math.round(elapsedMs);
      tell(`${lines.length} pictures${refusals}, in ${time} ms. Choose one to see what was found.`);
    },
  );
}

function captionLine(line: AnswerLine, index: number): void {
  const { reason, result: faces, value, status } = line as AnswerLine & Partial<AllFacesAnswer & MeterAnswer>;
  if (reason !== undefined) pictures.caption(index, toWords(reason), false);
  else if (faces !== undefined) pictures.caption(index, countFaces(faces.length), faces.length > 0);
  else pictures.caption(index, status === 'ok' ? (value ?? '') : `${value} needs review`, status === 'ok');
}

/** Asks about the pictures of the strip as photos of one meter. */
async function readAsOne(): Promise<void> {
  const files = pictures.files();
  const most = options.maxFiles(fusePath);
  if (files.length > most) {
    clearAnswer();
    const message = `Read as one meter takes at most ${most} pictures; ${files.length} are chosen.`;
    return fail(new Refusal('TOO_MANY_FILES', message));
  }
  await ask(
    fusePath,
    files,
    async (...asked) => {
      const answer = (await send(...asked)) as FusedMeterAnswer;
      stage.place(files[answer.best_photo] as File);
      return answer;
    },
    (answer, elapsedMs) => {
      answer.photos.forEach(({ value, refusal, agrees }, index) =>
        pictures.caption(index, value ?? toWords(refusal ?? ''), agrees),
      );
      pictures.mark(answer.best_photo);
      showMeter(answer, options.meaningOf, elapsedMs);
    },
  );
}

/** Asks the service about pictures; a later question replaces an earlier one. */
async function ask<Answer>(
  path: string,
  files: readonly File[],
  sendAll: (request: ApiRequest, apiKey: string, signal: AbortSignal) => Promise<Answer>,
  show: (answer: Answer, elapsedMs: number) => void,
): Promise<void> {
  const fields = [...(mode === 'meter' ? [] : threshold.read()), ...options.read(path)];
  const sent = files.map((each): [string, File] => ['file', each]);
  // Of several pictures, the service wants to know what to do before it gets them.
  const form = files.length > 1 ? [...fields, ...sent] : [...sent, ...fields];
  const request: ApiRequest = { method: 'POST', path, form, most: options.maxFiles(path) };
  running?.abort();
  problem.hidden = true;
  // Of several pictures, none is drawn on.
  savePicture.hidden = question === analyseEach;
  saveHidden.hidden = savePicture.hidden || mode === 'meter';
  if (tellBusy()) view.showRequest(request);
  const mine = (running = new AbortController());
  try {
    if (key.value() === '') throw new Refusal('MISSING_API_KEY', 'Enter an API key first.');
    const startedAt = performance.now();
    const answer = await showBusy(sendAll(request, key.value(), mine.signal));
    const elapsedMs = performance.now() - startedAt;
    key.close();
    await stage.decoded();
    if (mine.signal.aborted) return;
    view.showAnswer(request, answer);
    answered = answer;
    show(answer, elapsedMs);
  } catch (error) {
    if (mine.signal.aborted) return;
    fail(error);
    view.showProblem(request, error);
  }
}

/** Shows that something is waited for. */
async function showBusy<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const timer = setTimeout(() => (busy.hidden = false), busyAfterMs);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    busy.hidden = true;
  }
}

/** `NO_READING` is `No reading`. */
function toWords(reason: string): string {
  return reason.charAt(0) + reason.slice(1).toLowerCase().replaceAll('_', ' ');
}

/** The last answer is to a question that no longer stands, as is the one that is under way. */
function clearAnswer(): void {
  running?.abort();
  clearResult();
  problem.hidden = true;
  view.clear();
}

function fail(error: unknown): void {
  clearResult();
  tellProblem(error);
}

function tellProblem(error: unknown): void {
  problem.textContent = describeProblem(error);
  problem.hidden = false;
  if (error instanceof Refusal && error.reason.endsWith('_API_KEY')) key.askForAnother();
}

/** Saves the picture with its faces hidden: at the score for that, which is lower than the threshold. */
async function hideFaces(): Promise<void> {
  const { file, name } = stage;
  if (file === undefined || saveHidden.ariaDisabled === 'true') return;
  const request: ApiRequest = { method: 'POST', path: '/v1/faces/redact', form: [['file', file]] };
  view.showRequest(request);
  problem.hidden = true;
  // Not disabled, or it would lose the focus.
  saveHidden.ariaDisabled = 'true';
  try {
    const hidden = await showBusy(sendForPicture(request, key.value()));
    const extension = hidden.type.replace('image/', '').replace('jpeg', 'jpg');
    save(hidden, `${name}-redacted.${extension}`);
  } catch (error) {
    // Otherwise it is no longer what the page is about.
    if (stage.file === file) {
      tellProblem(error);
      view.showProblem(request, error);
    }
  } finally {
    saveHidden.ariaDisabled = null;
  }
}

function note(text: string): void {
  notice.textContent = text;
}

function showPicture(chosen: File): void {
  stage.place(chosen);
  clearAnswer();
  void (question = analyse)();
}

/** Unless something else is chosen while the sample is loaded. */
async function trySample(name: string, wanted: Mode): Promise<void> {
  clearAnswer();
  const { signal } = (running = new AbortController());
  try {
    const blob = await (await fetch(`samples/${name}`, { signal })).blob();
    // Not a proxy's page, nor a refusal.
    if (!blob.type.startsWith('image/')) throw new Error(`the sample is of type ${blob.type}`);
    setMode(wanted);
    // With its folder, so that the curl command works in the root of the repository.
    pictures.take([new File([blob], `samples/${name}`, { type: blob.type })]);
  } catch {
    if (!signal.aborted) fail(new Refusal('UNREACHABLE', 'The sample cannot be loaded from the service.'));
  }
}

function setMode(wanted: Mode): void {
  mode = wanted;
  const radio = document.querySelector<HTMLInputElement>(`[name=mode][value=${wanted}]`);
  if (radio) radio.checked = true;
  byId('threshold', HTMLElement).hidden = mode === 'meter';
  askEach.hidden = mode === 'single';
  askAsOne.hidden = mode !== 'meter';
  question = analyse;
  options.show(mode);
  clearAnswer();
}

byId('modes', HTMLElement).addEventListener('change', (event) => {
  setMode((event.target as HTMLInputElement).value as Mode);
  askAgain();
});
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-sample]')) {
  button.addEventListener('click', () => {
    const { sample = '', mode: wanted } = button.dataset;
    void trySample(sample, wanted as Mode);
  });
}
savePicture.addEventListener('click', () => {
  const { name } = stage;
  void annotate().then((blob) => save(blob, `${name}-annotated.png`), tellProblem);
});
byId('save-answer', HTMLButtonElement).addEventListener('click', () => {
  save(new Blob([JSON.stringify(answered, null, 2)], { type: 'application/json' }), `${stage.name}.json`);
});
saveHidden.addEventListener('click', () => void hideFaces());
askEach.addEventListener('click', () => void (question = analyseEach)());
askAsOne.addEventListener('click', () => void (question = readAsOne)());
connectCamera((file) => pictures.take([file]));
setMode('all');
