import { status } from '@grpc/grpc-js';
import { errorDomain } from '../../runtime/errors/reasons.js';
import { invalidField, type Refusal } from '../../runtime/errors/refusal.js';
import { toRpcStatus } from '../../runtime/errors/rpc-status.js';
import { errorHeaders, toHttpStatus } from '../response/http-error.js';
import type { WebProtocol } from './web-protocol.js';

/** https://connectrpc.com/docs/protocol */

const timeoutHeader = 'connect-timeout-ms';

/** The body is the message, and an error has an HTTP status of its own. */
export const connect: WebProtocol = {
  contentType: 'application/',
  timeoutHeader,
  parseTimeout(given) {
    if (!/^\d{1,10}$/.test(given)) throw invalidField(timeoutHeader, given, 'milliseconds in at most 10 digits');
    return Number(given);
  },
  readMessage: (body) => body,
  writeMessage: (message) => message,
  refuse: (refusal) => ({
    // Not by its reason: what clients take for its code if a proxy drops the body follows from it.
    status: toHttpStatus(refusal.code, ''),
    headers: { ...errorHeaders(refusal), 'content-type': 'application/json' },
    body: JSON.stringify(describe(refusal)),
  }),
};

/** An error as Connect shows it. `debug` is for people: it says what is in a detail. */
function describe(refusal: Refusal): object {
  const { code, message, reason, details: metadata } = refusal;
  const [info, ...others] = toRpcStatus(refusal).details.map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.indexOf('/') + 1),
    value: Buffer.from(value).toString('base64').replaceAll('=', ''),
  }));
  return {
    // Connect spells it with one l.
    code: code === status.CANCELLED ? 'canceled' : (status[code] ?? 'UNKNOWN').toLowerCase(),
    message,
    details: [{ ...info, debug: { reason, domain: errorDomain, metadata } }, ...others],
  };
}
