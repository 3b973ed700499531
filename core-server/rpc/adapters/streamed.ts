import type { Status } from '../../../generated/google/rpc/status.js';
import { missingField, Refusal, refuse } from '../../../runtime/errors/refusal.js';
import type { Call } from '../../common/call.js';
import { logFault } from '../call-log.js';
import { toRpcStatus } from '../status.js';
import { type OpenRequest, raceSignal } from './open-call.js';

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
 * Turns a unary handler into the handler of a stream's requests: refusals become responses, so that one bad
 * picture does not end the stream, and if the queue is full, the request waits. Each request counts towards the
 * rate of its key, and checks that key: once it is no longer valid, the stream ends.
 */
export function streamed<Request, Response>(
  handler: (request: Request, call: Call) => Promise<Response>,
): (item: StreamItem<Request>, call: OpenRequest) => Promise<StreamAnswer<Response>> {
  return async (item, call) => {
    const id = item.id.slice(0, maxIdLength);
    try {
      if (call.admitRequest) await raceSignal(call.admitRequest(), call.signal);
      if (item.id.length > maxIdLength) {
        throw refuse('INVALID_FIELD', `id has ${item.id.length} characters, want at most ${maxIdLength}`, {
          details: { field: 'id', limit: String(maxIdLength) },
        });
      }
      if (item.request === undefined) throw missingField('request', 'a request message');
      const value = await handler(item.request, { ...call, wait: 'queue' });
      return { id, result: { $case: 'response', value } };
    } catch (caught) {
      const error = Refusal.from(caught);
      if (error.reason === 'INVALID_API_KEY') throw error;
      logFault(call.log, error, { within: 'stream' });
      return { id, result: { $case: 'error', value: toRpcStatus(error) } };
    }
  };
}
