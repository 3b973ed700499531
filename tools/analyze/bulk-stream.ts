import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  credentials,
  Metadata,
  status,
  type ClientDuplexStream,
  type ServiceError,
} from '@grpc/grpc-js';
import {
  FaceDetectionServiceService,
  type StreamDetectFacesResponse,
} from '../../generated/imageanalysis/v1/face_detection.js';
import {
  MeterReadingServiceService,
  type StreamReadMetersResponse,
} from '../../generated/imageanalysis/v1/meter_reading.js';
import { maxMessageBytes } from '../../runtime/message-limit.js';
import { ConfigError } from '../../runtime/settings.js';
import { toError, toFaces, toReading, toRetryMs, type Line } from './answer.js';
import { readPicture } from './read-picture.js';
import { isOfOrder } from './refusals.js';

export interface BulkOptions {
  /** `host:port` of the core. */
  readonly address: string;
  /** PEM of the authority that signed the core's certificate; undefined: no TLS. */
  readonly authority?: Buffer | undefined;
  readonly apiKey: string;
  readonly feature: Line['feature'];
  /** Members of a face request beside the picture. */
  readonly company: string;
  readonly minScore: number | undefined;
  readonly landmarks: boolean;
  /** Pictures that are on their way at once; also bounds the memory. */
  readonly inFlight: number;
  readonly maxImageBytes: number;
  readonly signal: AbortSignal;
  /** Told why pictures are sent again: a lost connection, or a key that has used up its rate. */
  readonly onRetry: (reason: string) => void;
}

/** Answer of a stream, of either feature. */
type Answer = StreamDetectFacesResponse | StreamReadMetersResponse;
type Stream = ClientDuplexStream<object, Answer>;

/** Attempts in a row that brought no answer. */
const mostAttempts = 6;

/** What may be answered later was refused for now. */
class RefusedForNow extends Error {
  constructor(
    message: string,
    readonly retryMs: number,
  ) {
    super(message);
  }
}

/**
 * Sends pictures through one bulk stream and hands over their lines as they come. A file is read when
 * there is room for it: at most `inFlight` are on their way, and none while the service does not read.
 * Where the connection is lost, the pictures without an answer are sent again over a new one; where one
 * is refused for now, as beyond the rate of the key, it and those after it in a new stream at the time
 * that the service names.
 *
 * Resolves when all lines were taken. Rejects where the service refuses the stream itself or what is
 * asked of every picture, cannot be reached, or the signal is aborted; the lines so far were handed over.
 */
export async function analyseAll(
  files: AsyncIterable<string>,
  onLine: (line: Line) => Promise<void>,
  options: BulkOptions,
): Promise<void> {
  const trust = options.authority
    ? credentials.createSsl(options.authority)
    : credentials.createInsecure();
  const client = new Client(options.address, trust, {
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': -1,
  });
  const source = files[Symbol.asyncIterator]();
  let again: string[] = [];
  let attempts = 0;
  try {
    for (;;) {
      const pass = await runStream(client, nextOf(source, again), onLine, options);
      if (pass.error === undefined) return;
      options.signal.throwIfAborted();
      again = [...pass.unanswered, ...again];
      attempts = pass.answered > 0 ? 1 : attempts + 1;
      if (!mayPass(pass.error) || attempts >= mostAttempts) throw pass.error;
      options.onRetry(pass.error.message);
      const toldMs = pass.error instanceof RefusedForNow ? pass.error.retryMs : 0;
      const waitMs = Math.max(toldMs, 250 * 2 ** attempts);
      await sleep(waitMs, undefined, { signal: options.signal }).catch(() => undefined);
      options.signal.throwIfAborted();
    }
  } finally {
    client.close();
  }
}

/** The files to send again, then those of the source. */
async function* nextOf(source: AsyncIterator<string>, again: string[]): AsyncGenerator<string> {
  for (let file = again.shift(); file !== undefined; file = again.shift()) yield file;
  for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
}

/** Whether another stream may go well. */
function mayPass(error: Error): boolean {
  const { code } = error as Partial<ServiceError>;
  return (
    error instanceof RefusedForNow ||
    code === status.UNAVAILABLE ||
    code === status.CANCELLED ||
    code === status.DEADLINE_EXCEEDED
  );
}

async function runStream(
  client: Client,
  files: AsyncGenerator<string>,
  onLine: (line: Line) => Promise<void>,
  options: BulkOptions,
): Promise<{ error: Error | undefined; unanswered: string[]; answered: number }> {
  const { feature, inFlight, signal } = options;
  const stream = openStream(client, options);
  const waiting = new Map<string, string>();
  const taking = new Set<Promise<void>>();
  let answered = 0;
  let error: Error | undefined;
  let refusal: RefusedForNow | undefined;
  const isOver = () => error !== undefined || refusal !== undefined;
  let wake = () => {};
  const change = () => new Promise<void>((resolve) => (wake = resolve));
  const fail = (reason: unknown) => {
    error ??= reason as Error;
    // Of a stream that is neither ended nor cancelled the end would not come before the service loses patience.
    stream.cancel();
    wake();
  };
  const hand = (line: Line) => {
    const taken = onLine(line)
      .catch(fail)
      .finally(() => {
        taking.delete(taken);
        wake();
      });
    taking.add(taken);
  };
  const onAbort = () => fail(signal.reason);

  const ended = new Promise<void>((resolve) => {
    stream.on('data', (answer: Answer) => {
      const file = waiting.get(answer.id);
      if (file === undefined) return;
      const refused = toRefusedForNow(answer);
      if (refused) {
        refusal = refused;
        return wake();
      }
      const members = toMembers(answer);
      if (members.error && isOfOrder(members.error.reason))
        return fail(new ConfigError(members.error.message));
      waiting.delete(answer.id);
      answered += 1;
      hand({ file, feature, ...members });
    });
    stream.on('error', (reason: ServiceError) => {
      // What is there speaks HTTP/1.
      if (reason.details.includes('Protocol error'))
        reason.message += `; is ${options.address} the gRPC port?`;
      fail(reason);
      resolve();
    });
    stream.on('end', resolve);
  });
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });

  try {
    let id = 0;
    for (;;) {
      // A line that is still being taken holds its place: a slow disk slows the sending down.
      while (!isOver() && waiting.size + taking.size >= inFlight) await change();
      if (isOver()) break;
      const next = await files.next();
      if (next.done) break;
      const file = next.value;
      // Until it is answered or refused it counts as on its way, whatever happens meanwhile.
      id += 1;
      waiting.set(String(id), file);
      const picture = await readPicture(file, options.maxImageBytes);
      if (!Buffer.isBuffer(picture)) {
        waiting.delete(String(id));
        hand({ file, feature, error: picture });
        continue;
      }
      if (error === undefined && !stream.write(toRequest(String(id), picture, options)))
        await Promise.race([once(stream, 'drain').catch(() => {}), ended]);
    }
    if (error === undefined) stream.end();
    await ended;
    while (taking.size > 0) await Promise.all(taking);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  if (error === undefined && waiting.size > 0)
    error = refusal ?? new Error(`the service left ${waiting.size} pictures without an answer`);
  return { error, unanswered: [...waiting.values()], answered };
}

function openStream(client: Client, { feature, apiKey }: BulkOptions): Stream {
  const metadata = new Metadata();
  metadata.set('apikey', apiKey);
  const { path, requestSerialize, responseDeserialize } =
    feature === 'faces'
      ? FaceDetectionServiceService.streamDetectFaces
      : MeterReadingServiceService.streamReadMeters;
  return client.makeBidiStreamRequest(
    path,
    requestSerialize as (message: object) => Buffer,
    responseDeserialize as (bytes: Buffer) => Answer,
    metadata,
  );
}

function toRequest(id: string, image: Buffer, options: BulkOptions): object {
  if (options.feature === 'meters') return { id, request: { image } };
  const { company, minScore, landmarks } = options;
  return { id, request: { image, company, minScore, landmarks, crop: false, details: false } };
}

function toMembers({ result }: Answer): Partial<Line> {
  if (result === undefined) return {};
  if (result.$case === 'error') return { error: toError(result.value) };
  return 'faces' in result.value ? toFaces(result.value) : toReading(result.value);
}

function toRefusedForNow({ result }: Answer): RefusedForNow | undefined {
  if (result?.$case !== 'error') return undefined;
  const retryMs = toRetryMs(result.value);
  return retryMs === undefined ? undefined : new RefusedForNow(result.value.message, retryMs);
}
