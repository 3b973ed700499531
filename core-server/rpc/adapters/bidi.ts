import { once } from 'node:events';
import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import { Refusal, refuse, shuttingDown } from '../../../runtime/errors/refusal.js';
import { requireDecoded } from '../grpc-js-patches/undecodable.js';
import { toStatusObject } from '../status.js';
import { type CallSettings, limitSignal, type OpenCall, openCall, type OpenRequest, raceSignal } from './open-call.js';

export interface StreamSettings extends CallSettings {
  /** Requests of one stream processed at the same time; beyond that, the caller is paused. */
  readonly maxInFlight: number;
  /** A stream that has neither sent a request nor had one in progress for this long is closed. */
  readonly idleMs: number;
  /** Aborted when the process is about to stop: streams finish their requests in progress, and end. */
  readonly closing: AbortSignal;
}

/**
 * Turns a handler for one request into a bulk stream: responses are sent as they are ready, each with its
 * request's id. The handler turns refusals into responses; if it rejects, the stream ends with that error.
 * Flow control applies end to end: reading stops while `maxInFlight` requests are in progress or the caller
 * does not read its responses.
 */
export function bidi<Request, Response>(
  handler: (request: Request, call: OpenRequest) => Promise<Response>,
  settings: StreamSettings,
): handleBidiStreamingCall<Request, Response> {
  return (stream) => {
    const call = openCall(stream, settings);
    const serve = async () => {
      try {
        await pump(stream, handler, call, settings);
        call.logOutcome();
        stream.end();
      } catch (caught) {
        const error = Refusal.from(caught);
        call.abort(error);
        call.logOutcome(error);
        stream.emit('error', toStatusObject(error));
      } finally {
        call.close();
      }
    };
    void serve();
  };
}

/**
 * Answers the requests as they arrive; resolves when the caller has sent its last and all are answered.
 * It uses events instead of the stream's iterator, which destroys a stream that ends with an error, and with
 * it any responses and status still to be written.
 */
function pump<Request, Response>(
  stream: ServerDuplexStream<Request, Response>,
  handler: (request: Request, call: OpenRequest) => Promise<Response>,
  call: OpenCall,
  settings: StreamSettings,
): Promise<void> {
  const { closing, maxInFlight, idleMs } = settings;
  const answer = createAnswerer(stream, handler, call, settings.maxDeadlineMs);
  let idle: NodeJS.Timeout | undefined;
  let inWork = 0;
  let isHalfClosed = false;
  let stop = (): void => {};

  const pumped = new Promise<void>((resolve, reject) => {
    const rest = (): void => {
      if (inWork > 0) return;
      if (isHalfClosed || call.signal.aborted) resolve();
      else if (closing.aborted) reject(shuttingDown('go on in a new stream'));
      else idle = setTimeout(() => call.abort(idleTooLong(idleMs)), idleMs);
    };
    const onDone = (): void => {
      inWork -= 1;
      rest();
      if (!closing.aborted) stream.resume();
    };
    const onRequest = (request: Request): void => {
      clearTimeout(idle);
      inWork += 1;
      if (inWork >= maxInFlight) stream.pause();
      answer(request).then(onDone, reject);
    };
    const onHalfClose = (): void => {
      isHalfClosed = true;
      rest();
    };
    const onClosing = (): void => {
      stream.pause();
      rest();
    };
    stop = () => {
      clearTimeout(idle);
      closing.removeEventListener('abort', onClosing);
      stream.off('data', onRequest).off('end', onHalfClose).pause();
    };
    stream.on('data', onRequest).on('end', onHalfClose);
    closing.addEventListener('abort', onClosing);
    if (closing.aborted) onClosing();
    else rest();
  });
  return raceSignal(pumped, call.signal).finally(stop);
}

function idleTooLong(idleMs: number): Refusal {
  return refuse('DEADLINE', `the stream was idle for ${idleMs} ms, go on in a new stream`, {
    details: { limit: String(idleMs) },
  });
}

/** Creates the function that answers one request of a stream. */
function createAnswerer<Request, Response>(
  stream: ServerDuplexStream<Request, Response>,
  handler: (request: Request, call: OpenRequest) => Promise<Response>,
  call: OpenCall,
  maxDeadlineMs: number,
): (request: Request) => Promise<void> {
  let drained: Promise<unknown> | undefined;
  return async (request) => {
    const limited = limitSignal(call.signal, maxDeadlineMs);
    try {
      const response = await handler(requireDecoded(request), {
        ...call,
        signal: limited.signal,
      });
      if (call.signal.aborted || stream.write(response)) return;
      // Waiting here keeps the request's place, so that a stream whose responses are not read is not read either.
      drained ??= once(stream, 'drain', { signal: call.signal }).finally(() => {
        drained = undefined;
      });
      await drained;
    } finally {
      limited.close();
    }
  };
}
