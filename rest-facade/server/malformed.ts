import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { type Refusal, refuse } from '../../runtime/errors/refusal.js';
import { createSymbolProperty } from '../../runtime/node-patches/symbol-property.js';
import { methodNotAllowed } from '../request/no-such-route.js';
import { renderError } from '../response/http-error.js';
import { answerHeaders } from './answer-headers.js';

/** Request line and headers together. */
export const maxHeaderBytes = 16 * 1024;

/** Then there is nobody to write to: the other side is gone, or has not finished the TLS handshake. */
const unanswerable = new Set<string | undefined>(['ECONNRESET', 'ERR_TLS_HANDSHAKE_TIMEOUT']);

/**
 * The last response on a connection, until that is closed: since Node.js 24, a writable stream lives until V8's next
 * full collection, and with it what it leads to, such as the request of this response.
 */
const lastAnswer = createSymbolProperty<Socket, ServerResponse | undefined>();

/** Answers what never reaches the application: malformed HTTP requests, and CONNECT. */
export function answerMalformed(server: Server, log: Logger, isTls: boolean): void {
  const note = ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (lastAnswer.get(socket) === undefined) socket.once('close', () => lastAnswer.set(socket, undefined));
    lastAnswer.set(socket, response);
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    server.prependListener(event, note);
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || unanswerable.has(error.code)) socket.destroy();
    else end(socket, refusalOf(error.code), error.code);
  });
  // No path supports it. Node.js has released the connection, and would have closed it without a response.
  server.on('connect', ({ method = '' }: IncomingMessage, socket: Socket) => {
    for (const event of ['error', 'timeout']) socket.on(event, () => socket.destroy());
    end(socket.resume(), methodNotAllowed(method, []), method);
  });

  const end = (socket: Socket, refusal: Refusal, error: string | undefined): void => {
    const last = lastAnswer.get(socket);
    if (last === undefined || !hasConnection(last)) answer(socket, refusal, error);
    else if (last.writableFinished) socket.destroySoon();
    else last.once('finish', () => socket.destroySoon());
  };

  const answer = (socket: Socket, refusal: Refusal, error: string | undefined): void => {
    const requestId = randomUUID();
    const client = socket.remoteAddress;
    log.info({ request_id: requestId, error, client }, 'malformed request');
    socket.end(render(refusal, requestId, isTls));
  };
}

/**
 * Whether this response still occupies the connection, or did so as its last: then unparsable bytes close the
 * connection without a response of their own, which would be mistaken for this one.
 */
function hasConnection(answer: ServerResponse): boolean {
  const { complete } = answer.req;
  return complete ? !answer.writableFinished || !answer.shouldKeepAlive : answer.headersSent;
}

/** Only statuses in the documented table, so that a client needs to know no others. */
function refusalOf(errorCode: string | undefined): Refusal {
  switch (errorCode) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse('DEADLINE', 'the request did not arrive in time, try again');
    case 'HPE_HEADER_OVERFLOW':
      return refuse(
        'INVALID_FIELD',
        `the request line and headers are too long, want at most ${maxHeaderBytes} bytes`,
        { details: { limit: String(maxHeaderBytes) } },
      );
    default:
      return refuse('INVALID_FIELD', 'the bytes are not an HTTP request, want a well-formed one');
  }
}

/** Response and headers as HTTP bytes. */
function render(refusal: Refusal, requestId: string, isTls: boolean): string {
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
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}
