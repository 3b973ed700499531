import type { handleUnaryCall } from '@grpc/grpc-js';
import { asRefusal } from '../../../runtime/errors/refusal.js';
import type { Call } from '../../common/call.js';
import { forgetChunks, forgetRequest } from '../grpc-js-patches/forget-message.js';
import { requireDecoded } from '../grpc-js-patches/undecodable.js';
import type { RpcSettings } from '../grpc-server.js';
import { toStatusObject } from '../status.js';
import { openCall, raceSignal } from './open-call.js';

/** A handler for one request. Rejects with a Refusal to refuse. */
type UnaryHandler<Request, Response> = (request: Request, call: Call) => Promise<Response>;

type UnaryCalls<Handlers> = {
  [Method in keyof Handlers]: Handlers[Method] extends UnaryHandler<infer Request, infer Response>
    ? handleUnaryCall<Request, Response>
    : never;
};

type Message = Readonly<Record<string, unknown>>;

/** What an answered call was about, for its log line: names and ids, no secrets. */
type SubjectOf = (request: Message, response: Message) => object;

/**
 * Turns promise-returning handlers into those of grpc-js, which itself ignores the promise, so that a rejection would
 * leave the caller waiting. The caller gets an answer as soon as its deadline passes, whatever the handler is doing.
 */
export function unaryAll<Handlers extends object>(
  handlers: Handlers,
  settings: RpcSettings,
  subjectOf: SubjectOf = () => ({}),
): UnaryCalls<Handlers> {
  const all = Object.entries(handlers) as [string, UnaryHandler<Message, Message>][];
  const calls = all.map(([method, handler]) => [method, unary(handler, settings, subjectOf)]);
  return Object.fromEntries(calls) as UnaryCalls<Handlers>;
}

function unary(
  handler: UnaryHandler<Message, Message>,
  settings: RpcSettings,
  subjectOf: SubjectOf,
): handleUnaryCall<Message, Message> {
  return (grpcCall, callback) => {
    const call = openCall(grpcCall, settings, settings.maxDeadlineMs);
    forgetChunks(grpcCall);
    const answer = async () => {
      try {
        const work = async () => handler(requireDecoded(grpcCall.request), call);
        const response = await raceSignal(work(), call.signal);
        callback(null, response);
        call.logOutcome(undefined, subjectOf(grpcCall.request, response));
      } catch (caught) {
        const error = asRefusal(caught);
        callback(toStatusObject(error));
        call.logOutcome(error);
      } finally {
        call.close();
        forgetRequest(grpcCall.request);
      }
    };
    void answer();
  };
}
