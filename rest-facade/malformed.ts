import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { writeJson } from './transcode/json.js';

/** Request line and headers together. */
export const maxHeaderBytes = 16 * 1024;

/** What is written then goes nowhere: the other side is gone, or shakes no hands and so has no keys. */
const unanswerable = new Set<string | undefined>(['ECONNRESET', 'ERR_TLS_HANDSHAKE_TIMEOUT']);

/** Where a connection has its last answer; no WeakMap, see request-context.ts. */
const answerKey = Symbol('answer');

type WithAnswer = Socket & { [answerKey]?: ServerResponse };

/** Answers what is no well-formed HTTP request, and so never reaches the application. */
export function answerMalformed(server: Server, log: Logger): void {
  const note = ({ socket }: { socket: WithAnswer }, response: ServerResponse) =>
    void (socket[answerKey] = response);
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    server.prependListener(event, note);
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket: WithAnswer) => {
    const last = socket[answerKey];
    if (!socket.writable || unanswerable.has(error.code)) socket.destroy();
    else if (last === undefined || !hasConnection(last)) refuse(socket, error.code);
    else if (last.writableFinished) socket.destroySoon();
    else last.once('finish', () => socket.destroySoon());
  });

  const refuse = (socket: Socket, errorCode: string | undefined): void => {
    const requestId = randomUUID();
    const client = socket.remoteAddress;
    log.info({ request_id: requestId, error: errorCode, client }, 'malformed request');
    socket.end(renderMalformed(errorCode, requestId));
  };
}

/**
 * Whether the connection is still, or for good, this answer's: then bytes that cannot be parsed end it
 * without an answer of their own, which would be taken for this one.
 */
function hasConnection(answer: ServerResponse): boolean {
  const { complete } = answer.req;
  return complete ? !answer.writableFinished || !answer.shouldKeepAlive : answer.headersSent;
}

/** Only statuses of the documented table, so that a client needs to know no others. */
function renderMalformed(errorCode: string | undefined, requestId: string): string {
  const isLate = errorCode === 'ERR_HTTP_REQUEST_TIMEOUT';
  const [status, code, reason] = isLate
    ? [504, 'DEADLINE_EXCEEDED', 'DEADLINE']
    : [400, 'INVALID_ARGUMENT', 'INVALID_FIELD'];
  const isTooLong = errorCode === 'HPE_HEADER_OVERFLOW';
  const details = isTooLong ? { limit: String(maxHeaderBytes) } : {};
  const message = isLate
    ? 'the request did not arrive in time, try again'
    : isTooLong
      ? `the request line and headers are too long, want at most ${maxHeaderBytes} bytes`
      : 'the bytes are no HTTP request, want a well-formed one';
  const body = writeJson({ message, code, reason, request_id: requestId, details });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    '',
    body,
  ].join('\r\n');
}
