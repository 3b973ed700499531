import { type BatchLine, readBatchLines } from './batch-lines.js';
import { type Reason, RefusedError } from './refused-error.js';
import type {
  AllFacesAnswer,
  FusedMeterAnswer,
  MeterAnswer,
  RedactedPicture,
  ScoreAnswer,
  SingleFaceAnswer,
  VersionAnswer,
} from './rest-answers.js';
import { retried, type RetryOptions, toError } from './retry.js';
import { type CallOptions, startTime, withinTime } from './time-limit.js';

export type { BatchLine } from './batch-lines.js';
export { type Reason, type Refusal, RefusedError } from './refused-error.js';
export type * from './rest-answers.js';
export type { CallOptions } from './time-limit.js';

export interface RestClientOptions extends RetryOptions {
  /** URL of the REST API. In a page of the service itself: `location.origin`. */
  readonly url: string;
  readonly apiKey: string;
  /** Milliseconds per call, unless the call sets its own; 30,000 by default. */
  readonly timeoutMs?: number;
}

/** A picture: a `File` from a page, or bytes as returned by `readFile`. */
export type Picture = Blob | Uint8Array;

/** Options for a detection. */
export interface DetectionOptions extends CallOptions {
  /** A registered company, whose score is the threshold. */
  readonly company?: string;
  /** Threshold, 0 to 1; overrides the company's. */
  readonly minScore?: number;
  readonly landmarks?: boolean;
  /** False leaves the cropped faces out. */
  readonly crop?: boolean;
  readonly details?: boolean;
  /** Whether to return pose, sharpness, light and quality. */
  readonly attributes?: boolean;
  /** Leaves faces of a lower quality out, 0 to 1. */
  readonly minQuality?: number;
  /** Whether crops are turned and scaled for face recognition. */
  readonly cropAligned?: boolean;
  /** Room around the face on each side, 0 to 1 of its box. */
  readonly margin?: number;
  readonly cropFormat?: 'jpeg' | 'png' | 'webp';
  /** Side in pixels of the square that a crop fits in, 16 to 1024. */
  readonly cropSize?: number;
}

/** Options for a redaction. */
export interface RedactionOptions extends CallOptions {
  /** A registered company, whose score is the threshold. */
  readonly company?: string;
  /** Threshold, 0 to 1; overrides the company's. Lower ones hide more faces, and more that are none. */
  readonly minScore?: number;
  readonly style?: 'blur' | 'pixelate' | 'box';
  /** Room around the face on each side that is hidden too, 0 to 1 of its box. */
  readonly margin?: number;
  readonly format?: 'jpeg' | 'png' | 'webp';
}

/** What is known about a meter, and options for its reading. */
export interface ReadingOptions extends CallOptions {
  /** Number of wheels on the counter, including those of the fraction. */
  readonly expectedDigits?: number;
  /** How many of them are the fraction. */
  readonly expectedDecimals?: number;
  /** An earlier `value` of the meter. */
  readonly previousReading?: string;
  /** The most the value can have risen since. */
  readonly maxIncrease?: string;
  /** Whether to return the printed serial number and unit; takes several times longer. */
  readonly serialNumber?: boolean;
  readonly alternatives?: boolean;
  /** Whether to return `digits_confidence`, `fraction_confidence` and `model`. */
  readonly details?: boolean;
  /** `m3`, `kWh`, `gal`, `ft3` or `GJ`. */
  readonly expectedUnit?: string;
}

/**
 * The calls of the service over REST, for browsers and Node.js. Calls reject with a RefusedError, or
 * with `signal.reason` once aborted.
 */
export interface RestClient {
  /** Finds the largest face; NO_FACE if there is none. */
  detectSingleFace(file: Picture, options?: DetectionOptions): Promise<SingleFaceAnswer>;
  /** Finds all faces, largest first. */
  detectAllFaces(file: Picture, options?: DetectionOptions & { readonly maxFaces?: number }): Promise<AllFacesAnswer>;
  /** Hides all faces, and returns the picture without metadata. */
  redactFaces(file: Picture, options?: RedactionOptions): Promise<RedactedPicture>;
  /** Reads a water meter; NO_READING if there is no readable counter. */
  readMeter(file: Picture, options?: ReadingOptions): Promise<MeterAnswer>;
  /** The same from `data:<image type>;base64,<data>`, as returned by a canvas. */
  readMeterDataUrl(image: string, options?: ReadingOptions): Promise<MeterAnswer>;
  /** Reads up to 8 photos of one meter as one; NO_READING if none has a readable counter. */
  fuseMeterReadings(
    files: readonly Picture[],
    options?: Omit<ReadingOptions, 'serialNumber'>,
  ): Promise<FusedMeterAnswer>;
  /**
   * Finds the faces of several pictures in one call; lines come as soon as they are ready, in any order. Throws if the
   * service refuses the call, or breaks it off. It is not retried. Leaving the loop ends it.
   */
  detectFacesBatch(
    files: readonly Picture[],
    options?: DetectionOptions & { readonly maxFaces?: number },
  ): AsyncGenerator<BatchLine<AllFacesAnswer>>;
  /** Reads several meters; otherwise like `detectFacesBatch`. */
  readMetersBatch(files: readonly Picture[], options?: ReadingOptions): AsyncGenerator<BatchLine<MeterAnswer>>;
  /** Returns a company's default threshold. */
  getDetectionScore(company: string, password: string, options?: CallOptions): Promise<ScoreAnswer>;
  /** Sets a company's default threshold, 0 to 1. */
  setDetectionScore(company: string, password: string, score: number, options?: CallOptions): Promise<ScoreAnswer>;
  /** Says which versions of the service and of its models are running. */
  getVersion(options?: CallOptions): Promise<VersionAnswer>;
}

export function createRestClient(options: RestClientOptions): RestClient {
  const { apiKey, timeoutMs = 30_000, retries, maxDelayMs } = options;
  const base = options.url.replace(/\/+$/, '');

  async function call<T>(
    path: string,
    request: RequestInit,
    callOptions: CallOptions = {},
    read: Read<T> = readObject,
  ): Promise<T> {
    const headers = {
      ...(request.headers as Record<string, string>),
      apikey: toHeader('apiKey', apiKey),
    };
    return withinTime(callOptions, timeoutMs, ({ signal }) =>
      retried(
        () => fetchOnce(base + path, { ...request, headers, signal }, signal, read),
        { retries, maxDelayMs },
        signal,
      ),
    );
  }

  async function* batch<T>(
    path: string,
    files: readonly Picture[],
    callOptions: CallOptions = {},
  ): AsyncGenerator<BatchLine<T>> {
    const time = startTime(callOptions, timeoutMs);
    const { signal } = time;
    const request = { ...toForm(files, callOptions), headers: { apikey: toHeader('apiKey', apiKey) }, signal };
    try {
      const { lines, requestId } = await fetchOnce(base + path, request, signal, ({ body: lines, headers }) =>
        Promise.resolve(
          headers.get('content-type') === 'application/x-ndjson' && lines
            ? { lines, requestId: headers.get('x-request-id') ?? undefined }
            : undefined,
        ),
      );
      yield* readBatchLines<T>(lines, requestId);
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      if (signal.aborted) throw toError(signal.reason);
      throw unanswered('UNAVAILABLE', `${base + path} broke off.`, error);
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

type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** The options of a call that are for the service, by the names of its fields: `minScore` is `min_score`. */
function fieldsOf(options: CallOptions = {}): Fields {
  const fields = Object.entries(options).filter(([name]) => name !== 'timeoutMs' && name !== 'signal');
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
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** Reads a successful response; undefined if it is none of this service. */
type Read<T> = (response: Response) => Promise<T | undefined>;

const readObject = async <T>(response: Response) => parseObject(await response.text()) as T | undefined;

async function fetchOnce<T>(url: string, request: RequestInit, signal: AbortSignal, read: Read<T>): Promise<T> {
  let response: Response;
  let answer: T | undefined;
  let refusal: Record<string, unknown> | undefined;
  try {
    // A redirect would take the key, a password and the picture to any address.
    response = await fetch(url, { ...request, redirect: 'manual' });
    if (response.ok) answer = await read(response);
    else refusal = parseObject(await response.text());
  } catch (cause) {
    if (signal.aborted) throw toError(signal.reason);
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
  // Not from the service, but perhaps from a proxy in between.
  if (typeof body?.['code'] !== 'string')
    return unanswered(
      response.status === 503 ? 'UNAVAILABLE' : 'UNKNOWN',
      `The response has status ${response.status} and does not come from this service.`,
    );
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
  return new RefusedError(String(body['message']), {
    reason: body['reason'] as Reason,
    code: body['code'],
    details: (body['details'] ?? {}) as Record<string, string>,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

function unanswered(code: string, message: string, cause?: unknown): RefusedError {
  return new RefusedError(message, { code }, { cause });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
