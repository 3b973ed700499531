import type { IncomingMessage, ServerResponse } from 'node:http';
import { asRefusal, bodyTooLarge, callerGone } from '../../../runtime/errors/refusal.js';
import { allowBody } from '../body-framing.js';

/** What reading the body of any request takes. */
export interface Reading {
  /** Aborted with the Refusal to send when the caller goes away or time is up. */
  readonly signal: AbortSignal;
  /** Makes room for a chunk. @throws Refusal QUEUE_FULL, INVALID_FIELD */
  readonly reserve: (bytes: number) => void;
  /** Tells the caller to send the body, once the headers are valid. */
  readonly response: ServerResponse;
}

export interface ReadOptions extends Reading {
  readonly maxBodyBytes: number;
}

/** Ends the reading: with an error, the first of which decides, or because the whole body was taken. */
type Done = (error?: unknown) => void;

/** Makes a listener end the reading by what it throws. */
export type Attempt = <Args extends unknown[]>(listen: (...args: Args) => void) => (...args: Args) => void;

/**
 * Passes on the chunks of a request, counting them, until all were taken; stops reading on the first error.
 * @param open begins what the chunks are written to, and which is ended behind the last one
 * @throws Refusal BODY_TOO_LARGE, CLIENT_CLOSED, what `reserve` throws, what the signal was aborted with, or the error
 */
export function pump(
  request: IncomingMessage,
  options: ReadOptions,
  open: (done: Done, attempt: Attempt) => { write(chunk: Buffer): void; end(): void },
): Promise<void> {
  const { signal, reserve, maxBodyBytes, response } = options;
  return new Promise((resolve, reject) => {
    let isDone = false;
    let bytes = 0;
    const done: Done = (error) => {
      if (isDone) return;
      isDone = true;
      request.off('data', onData).off('end', onEnd).off('error', onError);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined) return resolve();
      request.pause();
      reject(asRefusal(error));
    };
    const attempt: Attempt =
      (listen) =>
      (...args) => {
        try {
          listen(...args);
        } catch (error) {
          done(error);
        }
      };
    const onData = attempt((chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBodyBytes) throw bodyTooLarge('body', maxBodyBytes);
      reserve(chunk.length);
      sink.write(chunk);
    });
    const onEnd = () => sink.end();
    const onError = (cause: unknown) => done(callerGone(cause));
    const onAbort = () => done(signal.reason);

    const sink = open(done, attempt);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    allowBody(request, response);
    request.on('data', onData).on('end', onEnd).on('error', onError);
  });
}
