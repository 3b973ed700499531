import { once } from 'node:events';
import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import type { Call } from './call.js';
import { ServiceError } from './errors.js';
import {
  limitSignal,
  openCall,
  raceSignal,
  type CallSettings,
  type OpenCall,
} from './open-call.js';
import { toStatusObject } from './status.js';
import { requireDecoded } from './undecodable.js';

/** How a bulk stream is served. */
export interface StreamSettings extends CallSettings {
  /** Requests of one stream that are worked on at the same time; the caller is paused beyond. */
  readonly maxInFlight: number;
  /** A stream that neither brings a request nor has one in work for so long is ended. */
  readonly idleMs: number;
}

/**
 * Turns a handler of one request into a bulk stream: answers as they are ready, each carrying its
 * request's id. The handler never rejects: it turns refusals into answers.
 * Flow control reaches through: reading stops while `maxInFlight` requests are in work or the
 * caller does not read its answers.
 */
export function bidi<Request, Response>(
  handler: (request: Request, call: Call) => Promise<Response>,
  settings: StreamSettings,
): handleBidiStreamingCall<Request, Response> {
  return (stream) => {
    const call = openCall(stream, settings);
    const serve = async () => {
      try {
        await raceSignal(pump(stream, handler, call, settings), call.signal);
        call.logOutcome();
        stream.end();
      } catch (caught) {
        const error = ServiceError.from(caught);
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

async function pump<Request, Response>(
  stream: ServerDuplexStream<Request, Response>,
  handler: (request: Request, call: Call) => Promise<Response>,
  call: OpenCall,
  settings: StreamSettings,
): Promise<void> {
  const inWork = new Set<Promise<void>>();
  const idle = startIdleTimer(settings.idleMs, call);
  try {
    // The loop must not destroy the stream when the requests end: answers are still to be written.
    const requests: AsyncIterable<Request> = stream.iterator({ destroyOnReturn: false });
    for await (const request of requests) {
      idle.stop();
      const work = answerOne(stream, handler, requireDecoded(request), call, settings).finally(
        () => {
          inWork.delete(work);
          if (inWork.size === 0) idle.start();
        },
      );
      inWork.add(work);
      if (inWork.size >= settings.maxInFlight) await Promise.race(inWork);
    }
    await Promise.all(inWork);
  } finally {
    idle.stop();
    await Promise.allSettled(inWork);
  }
}

async function answerOne<Request, Response>(
  stream: ServerDuplexStream<Request, Response>,
  handler: (request: Request, call: Call) => Promise<Response>,
  request: Request,
  call: Call,
  settings: StreamSettings,
): Promise<void> {
  const limited = limitSignal(call.signal, settings.maxDeadlineMs);
  try {
    const response = await handler(request, { ...call, signal: limited.signal });
    if (call.signal.aborted) return;
    // Waiting here holds the request's place, so that an unread stream stops being read itself.
    if (!stream.write(response)) await once(stream, 'drain', { signal: call.signal });
  } finally {
    limited.close();
  }
}

function startIdleTimer(idleMs: number, call: OpenCall) {
  let timer: NodeJS.Timeout | undefined;
  const expire = () =>
    call.abort(new ServiceError('DEADLINE', 'The stream was idle for too long.'));
  const stop = () => clearTimeout(timer);
  const start = () => {
    stop();
    timer = setTimeout(expire, idleMs);
  };
  start();
  return { start, stop };
}
