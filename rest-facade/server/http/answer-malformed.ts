import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { type Refusal, refuse } from '../../../runtime/errors/refusal.js';
import { unansweredOf } from '../../../runtime/limits/limit-pipelining.js';
import { createSymbolProperty } from '../../../runtime/node-patches/symbol-property.js';
import { methodNotAllowed } from '../../request/no-such-route.js';
import { badlyEncoded } from '../../request/parse-target.js';
import { renderError } from '../../response/http-error.js';
import { answerHeaders } from '../answer-headers.js';
import type { Observers } from '../observe-request.js';
import { endRequest } from '../request-context.js';

/** Request line and headers together. */
export const maxHeaderBytes = 16 * 1024;

/** Then there is nobody to answer: gone, not through its TLS handshake, or a connection opened and left unused. */
const unanswerable = new Set<string | undefined>([
  'ECONNRESET',
  'ERR_TLS_HANDSHAKE_TIMEOUT',
  'ERR_HTTP_REQUEST_TIMEOUT',
]);

/** Whether it ends with its last response. Node.js tells of everything that still arrives. */
const isEnding = createSymbolProperty<Socket, true>();

/**
 * Answers, logs and counts what never reaches the application of a server that limits pipelining: malformed requests, and
 * CONNECT.
 */
export function answerMalformed(server: Server, log: Logger, metrics: Observers['metrics'], isTls: boolean): void {
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    if (socket.writable) end(socket, refusalOf(code), code);
    else socket.destroy();
  });
  // No path supports it. Node.js has released the connection, and would have closed it without a response.
  server.on('connect', ({ method = '' }: IncomingMessage, socket: Socket) => {
    for (const event of ['error', 'timeout']) socket.on(event, () => socket.destroy());
    end(socket.resume(), methodNotAllowed(method, []), method);
  });

  const end = (socket: Socket, refusal: Refusal, error: string | undefined): void => {
    const last = unansweredOf(socket).at(-1);
    if (last === undefined) {
      if (unanswerable.has(error)) socket.destroy();
      else answer(socket, refusal, error);
    } else if (!isEnding.get(socket)) {
      isEnding.set(socket, true);
      if (!last.req.complete) {
        // Who leaves in the middle of a body waits for no answer to it.
        if (error === 'HPE_INVALID_EOF_STATE' && !last.headersSent) return void socket.destroy();
        // It comes no further, and would be waited for until the deadline.
        endRequest(last.req, refusal);
      }
      last.once('finish', () => socket.destroySoon());
    }
  };

  const answer = (socket: Socket, refusal: Refusal, error: string | undefined): void => {
    const requestId = randomUUID();
    const { reason } = refusal;
    const { status, text } = render(refusal, requestId, isTls);
    log.info({ request_id: requestId, status, reason, error, client: socket.remoteAddress }, 'malformed request');
    socket.end(text);
    metrics.requestEnded('other', { status, reason, seconds: 0 });
  };
}

const headersTooLong = `the request line and headers are too long, want at most ${maxHeaderBytes} bytes`;

/** Only statuses in the documented table, so that a client needs to know no others. */
function refusalOf(errorCode: string | undefined): Refusal {
  switch (errorCode) {
    case 'HPE_HEADER_OVERFLOW':
      return refuse('INVALID_FIELD', headersTooLong, { limit: maxHeaderBytes });
    // It has characters that must be escaped, such as the umlauts of a password.
    case 'HPE_INVALID_URL':
      return badlyEncoded('address');
    default:
      return refuse('INVALID_FIELD', 'the bytes are not an HTTP request, want a well-formed one');
  }
}

function render(refusal: Refusal, requestId: string, isTls: boolean) {
  const { status, headers, body } = renderError(refusal, requestId);
  const all = {
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    ...answerHeaders(isTls),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return { status, text: [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n') };
}
