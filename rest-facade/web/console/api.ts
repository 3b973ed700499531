/** What can be asked of a picture. */
export type Mode = 'all' | 'single' | 'meter';

export const pathOf: Readonly<Record<Mode, string>> = {
  all: '/face_detect_multi',
  single: '/face_detect_single',
  meter: '/meter-number-ocr/file',
};

/** Several pictures in one call: each for itself, or as photos of one meter. */
export const batchPathOf: Readonly<Partial<Record<Mode, string>>> = {
  all: '/v1/faces/batch',
  meter: '/v1/meters/batch',
};
export const fusePath = '/v1/meters/fuse';

/** Where the key lives: in this tab, until it is closed; undefined where the browser forbids it. The reference uses it too. */
export const storage = openStorage();
export const keyName = 'image-analysis-api-key';

function openStorage(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

/** A refusal of the service, or that it could not be reached. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly reason: string,
    message: string,
    readonly body?: unknown,
  ) {
    super(message);
  }
}

/** A request as it is sent and as it is shown. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** Form fields in their order; the file comes with its name. */
  readonly form?: readonly (readonly [name: string, value: string | File])[];
  /** The most files that the service takes at a time. */
  readonly most?: number;
  readonly json?: unknown;
  readonly password?: string;
}

/** Sends a request whose answer is JSON. Rejects with a Refusal, or with an AbortError. */
export async function send(request: ApiRequest, apiKey: string, signal?: AbortSignal): Promise<unknown> {
  const answer = await fetchAnswer(request, apiKey, signal);
  const body: unknown = await answer.json().catch(() => undefined);
  if (body === undefined) throw refusalOf(answer, undefined);
  return body;
}

/** Sends a request whose answer is a picture. Rejects with a Refusal. */
export async function sendForPicture(request: ApiRequest, apiKey: string): Promise<Blob> {
  const answer = await fetchAnswer(request, apiKey);
  const picture = await answer.blob().catch(failConnection);
  if (!picture.type.startsWith('image/')) throw refusalOf(answer, undefined);
  return picture;
}

/** The request, or of more files than it may have several, in which they come behind its fields. */
export function splitFiles(request: ApiRequest): ApiRequest[] {
  const { form = [], most = Infinity } = request;
  const fields = form.filter(([, value]) => typeof value === 'string');
  const files = form.filter(([, value]) => typeof value !== 'string');
  if (files.length <= most) return [request];
  const parts = Array.from({ length: Math.ceil(files.length / most) }, (_, at) =>
    files.slice(at * most, (at + 1) * most),
  );
  return parts.map((part) => ({ ...request, form: [...fields, ...part] }));
}

/** A line of an answer to several pictures. */
export interface AnswerLine {
  readonly index?: number;
  readonly reason?: string;
  readonly message: string;
}

/** Sends several pictures. Resolves with the line of each; rejects with a Refusal, or with an AbortError. */
export async function sendForLines(
  request: ApiRequest,
  apiKey: string,
  signal: AbortSignal,
  onLine: (line: AnswerLine, index: number) => void,
): Promise<AnswerLine[]> {
  const answer = await fetchAnswer(request, apiKey, signal);
  const lines: AnswerLine[] = [];
  const decoder = new TextDecoder();
  const reader = answer.body?.getReader();
  // Of the line that has not ended.
  let rest = '';
  const read = () => reader?.read().catch(failConnection);
  for (let next = await read(); next?.value; next = await read()) {
    const texts = decoder.decode(next.value, { stream: true }).split('\n');
    texts[0] = rest + texts[0];
    rest = texts.pop() ?? '';
    for (const text of texts) {
      const line = parseLine(text);
      // Without an index, it is about all those without a line.
      if (line?.index === undefined) throw refusalOf(answer, line);
      lines.push(line);
      onLine(line, line.index);
    }
  }
  if (rest !== '') throw refusalOf(answer, undefined);
  return lines;
}

function parseLine(text: string): AnswerLine | undefined {
  try {
    return JSON.parse(text) as AnswerLine;
  } catch {
    return undefined;
  }
}

async function fetchAnswer(request: ApiRequest, apiKey: string, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { apikey: toHeader(apiKey) };
  if (request.password !== undefined) headers['x-company-password'] = toHeader(request.password);
  const { method, path } = request;
  const init = { method, headers, ...bodyOf(request), ...(signal && { signal }) };
  const answer = await fetch(addressOf(path), init).catch(async (error: unknown) => {
    await assertReadable(request);
    return failConnection(error);
  });
  if (!answer.ok) throw refusalOf(answer, await answer.json().catch(() => undefined));
  return answer;
}

/** Browsers say the same where a file is a folder, or was changed since it was chosen, as where nobody answers. */
async function assertReadable({ form = [] }: ApiRequest): Promise<void> {
  for (const [, file] of form) {
    if (typeof file === 'string') continue;
    const start = file.slice(0, 1);
    await start.arrayBuffer().catch(() => {
      const why = 'is a folder, or was moved, deleted or changed';
      throw new Refusal('UNREADABLE_FILE', `The file ${file.name} cannot be read: it ${why}. Choose it again.`);
    });
  }
}

/** What the browser says of a connection that failed, also in the middle of an answer, as a Refusal. */
function failConnection(error: unknown): never {
  if ((error as Error).name === 'AbortError') throw error;
  throw new Refusal('UNREACHABLE', 'The service cannot be reached.');
}

function refusalOf(answer: Response, body: unknown): Refusal {
  const unreadable = `The answer with status ${answer.status} is not the service's, or was cut off.`;
  const { reason = 'UNREADABLE', message = unreadable } = (body ?? {}) as { reason?: string; message?: string };
  return new Refusal(reason, message, body);
}

function bodyOf({ form, json }: ApiRequest): { body?: FormData | string } {
  if (json !== undefined) return { body: JSON.stringify(json) };
  if (form === undefined) return {};
  const body = new FormData();
  for (const [name, value] of form) body.append(name, value);
  return { body };
}

/** Beside this page, which a proxy may serve below a prefix. */
export function addressOf(path: string): string {
  return new URL(`.${path}`, document.baseURI).href;
}

/** Header bytes are UTF-8; fetch takes one character a byte. */
function toHeader(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** What to do about a refusal, by its reason, where the service's own sentence does not say it. */
const advice: Readonly<Record<string, string>> = {
  INVALID_API_KEY: 'It may have been cut off when it was copied.',
  UNKNOWN_COMPANY: 'Register it with "npm run admin -- companies create NAME", or leave the name empty.',
  NO_FACE: 'Try a picture in which the face is larger.',
  BODY_TOO_LARGE: 'Make pictures smaller, or save them with a stronger compression.',
  IMAGE_TOO_MANY_PIXELS: 'Make the picture smaller.',
  DEADLINE: 'Over a slow connection, send a smaller picture.',
  UNREADABLE: 'Reload the page, and look at the proxy if there is one.',
  UNREACHABLE: 'Is it still running? Try again in a moment.',
};

/** The sentence to show for whatever went wrong. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof Refusal)) return `This page failed: ${String(error)}`;
  const sentence = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  const text = `${sentence} ${advice[error.reason] ?? ''}`.trim();
  // Not a field's name: max_faces.
  return text.replace(/^[a-z](?=[a-z]* )/, (first) => first.toUpperCase());
}
