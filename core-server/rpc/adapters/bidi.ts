import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import type { Status } from '../../../generated/google/rpc/status.js';
import { asRefusal, missingField, refuse, refuseField, shuttingDown } from '../../../runtime/errors/refusal.js';
import { toRpcStatus } from '../../../runtime/errors/rpc-status.js';
import type { Call } from '../../common/call.js';
import { logFault } from '../call-log.js';
import { forgetRequest } from '../grpc-js-patches/forget-message.js';
import { limitReadAhead, noteAnswer } from '../grpc-js-patches/limit-messages.js';
import { sendAtOnce } from '../grpc-js-patches/limit-unread.js';
import { streamOf } from '../grpc-js-patches/refuse-stream.js';
import { requireDecoded } from '../grpc-js-patches/undecodable.js';
import type { RpcSettings } from '../grpc-server.js';
import { toStatusObject } from '../status.js';
import { limitSignal, type OpenCall, openCall, raceSignal } from './open-call.js';

interface StreamItem<Request> {
  readonly id: string;
  readonly request?: Request | undefined;
}

interface StreamAnswer<Response> {
  id: string;
  result: { $case: 'response'; value: Response } | { $case: 'error'; value: Status };
}

const maxIdLength = 128;

/**
 * Turns a handler for one request into a bulk stream: responses are sent as they are ready, each with its
 * request's id. Flow control applies end to end: reading stops while `maxInFlight` requests are in progress or the
 * caller does not read its responses.
 *
 * Refusals become responses, so that one bad picture does not end the stream, and if the queue is full, the request
 * waits. Each request counts towards the rate of its key, and checks that key: once it is no longer valid, the stream
 * ends.
 */
export function bidi<Request, Response>(
  handler: (request: Request, call: Call) => Promise<Response>,
  settings: RpcSettings,
): handleBidiStreamingCall<StreamItem<Request>, StreamAnswer<Response>> {
  return (stream) => {
    limitReadAhead(stream);
    const call = openCall(stream, settings);
    let taken = 0;
    const answer = async (item: StreamItem<Request>): Promise<void> => {
      const number = taken++;
      const limited = limitSignal(call.signal, settings.maxDeadlineMs);
      try {
        const result = await answerItem(handler, requireDecoded(item), { ...call, signal: limited.signal });
        await send(stream, result, call.signal);
      } finally {
        limited.close();
        noteAnswer(stream, number);
        forgetRequest(item.request ?? {});
      }
    };
    const serve = async () => {
      try {
        await pump(stream, answer, call, settings);
        call.logOutcome();
        stream.end();
      } catch (caught) {
        const error = asRefusal(caught);
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
function pump<Item>(
  stream: ServerDuplexStream<Item, unknown>,
  answer: (item: Item) => Promise<void>,
  call: OpenCall,
  { closing, maxInFlight, idleMs }: RpcSettings,
): Promise<void> {
  const idleTooLong = `the stream was idle for ${idleMs} ms, go on in a new stream`;
  let idle: NodeJS.Timeout | undefined;
  let inWork = 0;
  let stop = (): void => {};

  const pumped = new Promise<void>((resolve, reject) => {
    const rest = (): void => {
      if (inWork > 0) return;
      if (stream.readableEnded || call.signal.aborted) resolve();
      else if (closing.aborted) reject(shuttingDown('go on in a new stream'));
      else idle = setTimeout(() => call.abort(refuse('DEADLINE', idleTooLong, { limit: idleMs })), idleMs);
    };
    const onDone = (): void => {
      inWork -= 1;
      rest();
      if (!closing.aborted) stream.resume();
    };
    const onRequest = (item: Item): void => {
      clearTimeout(idle);
      inWork += 1;
      if (inWork >= maxInFlight) stream.pause();
      void answer(item).then(onDone, reject);
    };
    const onClosing = (): void => {
      stream.pause();
      rest();
    };
    stop = () => {
      clearTimeout(idle);
      closing.removeEventListener('abort', onClosing);
      stream.off('data', onRequest).off('end', rest).pause();
    };
    stream.on('data', onRequest).on('end', rest);
    closing.addEventListener('abort', onClosing);
    if (closing.aborted) onClosing();
    else rest();
  });
  return raceSignal(pumped, call.signal).finally(stop);
}

async function answerItem<Request, Response>(
  handler: (request: Request, call: Call) => Promise<Response>,
  item: StreamItem<Request>,
  call: OpenCall,
): Promise<StreamAnswer<Response>> {
  const id = item.id.slice(0, maxIdLength);
  try {
    if (call.admitRequest) await raceSignal(call.admitRequest(), call.signal);
    if (item.id.length > maxIdLength) {
      const clause = `has ${item.id.length} characters, want at most ${maxIdLength}`;
      throw refuseField('INVALID_FIELD', 'id', clause, { limit: maxIdLength });
    }
    if (item.request === undefined) throw missingField('request', 'a request message');
    const value = await handler(item.request, { ...call, wait: 'queue' });
    return { id, result: { $case: 'response', value } };
  } catch (caught) {
    const error = asRefusal(caught);
    if (error.reason === 'INVALID_API_KEY') throw error;
    logFault(call.log, error, { within: 'stream' });
    return { id, result: { $case: 'error', value: toRpcStatus(error) } };
  }
}

/** Responses of a stream that wait to be sent, bytes; with more, each keeps its request's place. */
const maxUnsentBytes = 2 ** 20;

/**
 * Sends one response, and resolves once the caller has read enough for the next. Waiting keeps the request's place, so
 * that a stream whose responses are not read is not read either.
 */
async function send<Answer>(
  stream: ServerDuplexStream<unknown, Answer>,
  answer: Answer,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const sent = sendAtOnce(stream, answer);
  if (streamOf(stream).writableLength > maxUnsentBytes) await raceSignal(sent, signal);
}
