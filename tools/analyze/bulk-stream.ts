import { EventEmitter, once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../runtime/errors/config-error.js';
import {
  type ClientOptions,
  createClient,
  type ImageAnalysisClient,
  RefusedError,
} from '../../sdk/typescript/client.js';
import {
  type FeatureName,
  features,
  type Line,
  lost,
  type PictureError,
  type Redacted,
  type RequestOptions,
} from './features.js';
import { whyUnreadable } from './run-command.js';

export interface BulkOptions extends RequestOptions, Pick<ClientOptions, 'address' | 'apiKey' | 'credentials'> {
  readonly feature: FeatureName;
  /** The photos that are read as one, by what stands for them; undefined: each picture stands for itself. */
  readonly photosOf?: (name: string) => readonly string[] | undefined;
  /** Maximum number of pictures in flight; this also limits the memory. */
  readonly inFlight: number;
  readonly maxImageBytes: number;
  readonly signal: AbortSignal;
  /** Called with the reason why pictures are resent: a lost connection, or the key's rate limit. */
  readonly onRetry: (reason: string) => void;
}

/** Takes a picture's line, and what the service made of the picture. */
type OnLine = (line: Line, redacted?: Redacted) => Promise<void>;

/** Consecutive attempts without any response. */
const maxAttempts = 6;

/** Reasons that lie in the options of this run: every picture would get the same. */
const ofOptions: ReadonlySet<string> = new Set(['UNKNOWN_COMPANY', 'INVALID_SCORE', 'INVALID_FIELD']);

/**
 * Sends pictures through one bulk stream and passes on their lines as they arrive. A file is read when there is room
 * for it: at most `inFlight` are in flight, and none is sent while the service does not read. If the connection is
 * lost, unanswered pictures are resent over a new one. If a picture is refused temporarily, for example by the rate
 * limit, it and those after it are resent in a new stream at the time that the service names.
 *
 * Resolves when all lines have been written. Rejects if the service refuses the stream itself or the options
 * for every picture, or cannot be reached, or if the signal is aborted; the lines so far have been passed on.
 */
export async function analyseAll(
  files: Iterable<string, undefined>,
  onLine: OnLine,
  options: BulkOptions,
): Promise<void> {
  const { address, signal } = options;
  const client = createClient(options);
  const source = files[Symbol.iterator]();
  let again: string[] = [];
  const next = () => again.shift() ?? source.next().value;
  let attempts = 0;
  try {
    for (;;) {
      const pass = await runStream(client, next, onLine, options);
      if (pass.failure === undefined) return;
      signal.throwIfAborted();
      again = [...pass.unanswered, ...again];
      attempts = pass.answered > 0 ? 1 : attempts + 1;
      if (!mayPass(pass.failure)) throw pass.failure;
      const reason = explain(pass.failure, address);
      if (attempts >= maxAttempts) throw new Error(reason, { cause: pass.failure });
      options.onRetry(reason);
      const toldMs = (pass.failure.retryAfterSeconds ?? 0) * 1_000;
      const waitMs = Math.max(toldMs, 250 * 2 ** attempts);
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
    }
  } finally {
    client.close();
  }
}

function mayPass(failure: Error): failure is RefusedError {
  return failure instanceof RefusedError && (failure.retryAfterSeconds !== undefined || lost.has(failure.code));
}

/** Where no core was reached, gRPC's message has the cause, but not what names the way there. */
function explain({ message }: RefusedError, address: string): string {
  if (!/^No connection established|Protocol error/.test(message)) return message;
  const ways = '--address (or CORE_PORT), --tls-ca, --tls-cert and http_proxy';
  return `cannot reach a core's gRPC port at ${address}, see ${ways}: ${message.replace(/\. Resolution note: $/, '')}`;
}

/** @returns why the stream ended early, undefined if every picture has its line; and what became of the pictures */
async function runStream(
  client: ImageAnalysisClient,
  next: () => string | undefined,
  onLine: OnLine,
  options: BulkOptions,
) {
  const { feature, photosOf, inFlight, maxImageBytes } = options;
  const changes = new EventEmitter();
  /** Files without an answer, by the ids of their requests. */
  const sent = new Map<string, string>();
  /** Lines that are still being written: they keep their places, so that a slow disk slows down sending. */
  const lines = new Set<Promise<void>>();
  const unwritten = new AbortController();
  const signal = AbortSignal.any([options.signal, unwritten.signal]);
  let answered = 0;
  let refusal: RefusedError | undefined;
  let failure: Error | undefined;
  let isOver = false;
  const stopSending = () => {
    isOver = true;
    changes.emit('room');
  };

  const hand = (id: string, file: string, members: Partial<Line>, redacted?: Redacted) => {
    sent.delete(id);
    const line = onLine({ file, feature, ...members }, redacted)
      .catch((error: unknown) => unwritten.abort(error))
      .finally(() => {
        lines.delete(line);
        changes.emit('room');
      });
    lines.add(line);
  };

  async function* requests() {
    for (let number = 1; ; number += 1) {
      while (sent.size + lines.size >= inFlight && !isOver) await once(changes, 'room');
      const file = isOver ? undefined : next();
      if (file === undefined) return;
      const id = String(number);
      // It counts as in flight until it is answered, whatever happens meanwhile.
      sent.set(id, file);
      const photos = photosOf?.(file) ?? [file];
      const images = await readPictures(photos, maxImageBytes);
      if (Array.isArray(images)) yield { id, files: photos, images };
      else hand(id, file, { error: images });
    }
  }

  const pictures = requests();
  try {
    const answers = features[feature].stream(client, pictures, options, signal);
    for await (const { id, refused, members, redacted } of answers) {
      const file = sent.get(id);
      if (file === undefined) continue;
      if (refused?.retryAfterSeconds !== undefined) {
        refusal = refused;
        stopSending();
        continue;
      }
      if (refused && ofOptions.has(refused.reason ?? '')) throw new ConfigError(refused.message);
      answered += 1;
      hand(id, file, members, redacted);
    }
  } catch (error) {
    failure = error as Error;
  }
  stopSending();
  // By then, a picture that was being read, and cannot be, has its line.
  await pictures.return();
  await Promise.all(lines);
  const unanswered = [...sent.values()];
  if (unwritten.signal.aborted) failure = unwritten.signal.reason as Error;
  else if (unanswered.length > 0)
    failure ??= refusal ?? new Error(`the service left ${unanswered.length} pictures without an answer`);
  return { failure, unanswered, answered };
}

/** Returns the files, or why they are not sent: a message that is too large would end the whole stream. */
async function readPictures(files: readonly string[], maxBytes: number): Promise<Buffer[] | PictureError> {
  try {
    const stats = await Promise.all(files.map((file) => stat(file)));
    const bytes = stats.reduce((sum, { size }) => sum + size, 0);
    if (bytes <= maxBytes) return await Promise.all(files.map((file) => readFile(file)));
    const subject = files.length === 1 ? 'the file has' : 'the photos together have';
    const message = `${subject} ${bytes} bytes, want at most ${maxBytes}`;
    return { code: 'RESOURCE_EXHAUSTED', reason: 'BODY_TOO_LARGE', message };
  } catch (error) {
    return { code: 'UNKNOWN', reason: 'UNREADABLE', message: whyUnreadable(error) };
  }
}
