import { type BatchLine, readBatchLines } from './batch-lines.js';
import { type Reason, RefusedError } from './refused-error.js';
import type { Picture, RestClient, RestClientOptions } from './rest-client.js';
import { retried, toError } from './retry.js';
import { type CallOptions, startTime, withinTime } from './time-limit.js';

export type { BatchLine } from './batch-lines.js';
export { type Reason, type Refusal, RefusedError } from './refused-error.js';
export type * from './rest-answers.js';
export type * from './rest-client.js';
export type { CallOptions } from './time-limit.js';

export function createRestClient(options: RestClientOptions): RestClient {
  const { apiKey, timeoutMs = 30_000, retries, maxDelayMs } = options;
  const base = options.url.replace(/\/+$/, '');

  const withHeaders = (request: Sent, { requestId }: CallOptions): Sent => ({
    ...request,
    headers: {
      ...request.headers,
      apikey: toHeader('apiKey', apiKey),
      ...(requestId !== undefined && { 'x-request-id': toHeader('requestId', requestId) }),
    },
  });

  async function call<T>(
    path: string,
    request: Sent,
    callOptions: CallOptions = {},
    read: Read<T> = readObject,
  ): Promise<T> {
    const sent = withHeaders(request, callOptions);
    return withinTime(callOptions, timeoutMs, (limit) =>
      retried(() => fetchOnce(base + path, sent, limit.signal, read), { retries, maxDelayMs }, limit),
    );
  }

  async function* batch<T>(
    path: string,
    files: readonly Picture[],
    callOptions: CallOptions = {},
  ): AsyncGenerator<BatchLine<T>> {
    const sent = withHeaders(toForm(files, callOptions), callOptions);
    const time = startTime(callOptions, timeoutMs);
    const { signal } = time;
    try {
      const { lines, requestId } = await fetchOnce(base + path, sent, signal, readLines);
      yield* readBatchLines<T>(lines, requestId);
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      if (signal.aborted) throw toError(signal.reason);
      throw brokenOff(base + path, error);
    } finally {
      time.stop();
    }
  }

  const scorePath = (company: string) => `/v1/companies/${encodeURIComponent(company)}/detection-score`;

  return {
    detectSingleFace: (file, options) => call('/face_detect_single', toForm(file, options), options),
    detectAllFaces: (file, options) => call('/face_detect_multi', toForm(file, options), options),
    redactFaces: (file, options) =>
      call('/v1/faces/redact', toForm(file, options), options, async (response) => {
        const count = response.headers.get('x-face-count');
        return count === null ? undefined : { image: await response.blob(), faceCount: Number(count) };
      }),
    readMeter: (file, options) => call('/meter-number-ocr/file', toForm(file, options), options),
    readMeterDataUrl: (image, options) =>
      call('/meter-number-ocr/base64', toJson({ ...fieldsOf(options), image }), options),
    fuseMeterReadings: (files, options) => call('/v1/meters/fuse', toForm(files, options), options),
    detectFacesBatch: (files, options) => batch('/v1/faces/batch', files, options),
    readMetersBatch: (files, options) => batch('/v1/meters/batch', files, options),
    getDetectionScore: async (company, password, options) =>
      call(scorePath(company), { headers: { 'x-company-password': toHeader('password', password) } }, options),
    async setDetectionScore(company, password, score, options) {
      const request = toJson({ detection_score: score }, 'PUT');
      const headers = { ...request.headers, 'x-company-password': toHeader('password', password) };
      return call(scorePath(company), { ...request, headers }, options);
    },
    getVersion: (options) => call('/v1/version', {}, options),
  };
}

/** A request of the service. */
interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: FormData | string;
}

type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

const clientOptions: ReadonlySet<string> = new Set<keyof CallOptions>(['timeoutMs', 'signal', 'requestId']);

/** The options of a call that are for the service, by the names of its fields: `minScore` is `min_score`. */
function fieldsOf(options: CallOptions = {}): Fields {
  const fields = Object.entries(options).filter(([name]) => !clientOptions.has(name));
  const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(fields.map(([name, value]) => [toSnakeCase(name), value]));
}

/** The fields come before the files, as batches want them. */
function toForm(files: Picture | readonly Picture[], options: CallOptions | undefined) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fieldsOf(options))) {
    if (value !== undefined) body.append(name, String(value));
  }
  for (const file of [files].flat()) {
    const name = file instanceof File ? file.name : 'picture';
    body.append('file', file instanceof Blob ? file : new Blob([file]), name);
  }
  return { method: 'POST', body };
}

/**
 * Header bytes are UTF-8; fetch takes one character per byte, trims white space, and puts the whole value,
 * a secret, into its error message if it cannot be sent.
 */
function toHeader(name: string, text: string): string {
  const value = text.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  // eslint-disable-next-line no-control-regex -- intended
  if (/[\0-\x08\n-\x1f\x7f]/.test(value))
    throw new TypeError(`${name} has a character that cannot be sent, want it exactly as issued`);
  return String.fromCharCode(...new TextEncoder().encode(value));
}

function toJson(value: unknown, method = 'POST') {
  // JSON has null for NaN and Infinity, by which the service would take them for absent.
  const show = (_name: string, member: unknown) =>
    typeof member === 'number' && !Number.isFinite(member) ? String(member) : member;
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value, show) };
}

/** Reads a successful response; undefined if it is none of this service. */
type Read<T> = (response: Response) => Promise<T | undefined>;

const readLines: Read<{ lines: ReadableStream<Uint8Array>; requestId: string | undefined }> = ({ body, headers }) => {
  const isBatch = headers.get('content-type') === 'application/x-ndjson' && body;
  const requestId = headers.get('x-request-id') ?? undefined;
  return Promise.resolve(isBatch ? { lines: body, requestId } : undefined);
};

const readObject = async <T>(response: Response) => parseObject(await response.text()) as T | undefined;

async function fetchOnce<T>(url: string, request: Sent, signal: AbortSignal, read: Read<T>): Promise<T> {
  let response: Response | undefined;
  let answer: T | undefined;
  let refusal: Record<string, unknown> | undefined;
  try {
    // A redirect would take the key, a password and the picture to any address.
    response = await fetch(url, { ...request, signal, redirect: 'manual' });
    if (response.ok) answer = await read(response);
    else refusal = parseObject(await response.text());
  } catch (cause) {
    if (signal.aborted) throw toError(signal.reason);
    if (response) throw brokenOff(url, cause);
    throw unanswered('UNAVAILABLE', `${url} cannot be reached.`, cause);
  }
  if (isRedirect(response)) throw unanswered('UNKNOWN', `${url} is redirected, want the URL of the service itself.`);
  if (answer !== undefined) return answer;
  throw toRefusal(response, refusal);
}

/** Browsers show neither its status nor its address. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

function toRefusal(response: Response, body: Record<string, unknown> | undefined): RefusedError {
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
  const retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  // Not from the service, but perhaps from a proxy in between.
  if (typeof body?.['code'] !== 'string')
    return new RefusedError(`The response has status ${response.status} and does not come from this service.`, {
      code: response.status === 503 ? 'UNAVAILABLE' : 'UNKNOWN',
      retryAfterSeconds,
    });
  return new RefusedError(String(body['message']), {
    reason: body['reason'] as Reason,
    code: body['code'],
    details: (body['details'] ?? {}) as Record<string, string>,
    retryAfterSeconds,
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

function unanswered(code: string, message: string, cause?: unknown): RefusedError {
  return new RefusedError(message, { code }, { cause });
}

/** In the middle of a response: a worker may have had the picture, which is not to be sent again by itself. */
function brokenOff(url: string, cause: unknown): RefusedError {
  return new RefusedError(`${url} broke off.`, { code: 'UNAVAILABLE', details: { begun: 'true' } }, { cause });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
