import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import { createChunkSizeCheck } from '../../runtime/limits/chunk-size.js';
import { awaitsContinue, contentLength, hasBody } from '../request/body-framing.js';
import { LateText } from './late-base64.js';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | LateText;
}

/** How much of a refused body is still read, and how long. */
const maxDrainBytes = 32 * 1024 * 1024;
const maxDrainMs = 2_000;

/** How much of a body is given to a TLS connection at a time; most responses are smaller. */
const sliceBytes = 64 * 1024;

/**
 * Sends a response, by default as JSON. If a socket with unread bytes is closed, the kernel resets the connection, and
 * a caller that is still sending would lose the response. So if the request's body was not read to its end, the
 * response is sent first, and a limited part of the body is read and dropped, less if its chunks are too small. The
 * connection is kept if that was all of it: in a flood, new connections would cost more than refusals.
 */
export function send(response: ServerResponse, answer: HttpAnswer): void {
  const { req: request } = response;
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.statusCode = answer.status;
  if (answer.body.length > 0) {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    const { body } = answer;
    response.setHeader('content-length', typeof body === 'string' ? Buffer.byteLength(body) : body.length);
  }
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  const isRead = request.complete || !hasBody(request);
  // Without the expected "100 Continue", none of the body has been sent.
  const isOnItsWay = !isRead && !awaitsContinue(request);
  const canEndSoon = isOnItsWay && (contentLength(request) ?? Infinity) <= maxDrainBytes;
  if (!isRead && !canEndSoon) response.setHeader('connection', 'close');
  writeInSlices(response, answer.body, (rest) => {
    if (isOnItsWay) {
      response.write(rest);
      finish(response);
    } else response.end(rest);
  });
}

/** Ends a response that has been written; what is left of the request's body is read and dropped, within limits. */
export function finish(response: ServerResponse): void {
  const { req: request } = response;
  if (request.complete) {
    response.end();
    return;
  }
  drain(request, () => {
    // Otherwise megabytes more would be read and parsed before the connection is closed.
    if (!request.complete) request.pause().socket.pause();
    response.end(() => {
      if (!request.complete) request.socket.destroySoon();
    });
  });
}

/**
 * Writes a body, up to its last part if that is in one piece. What is made as it is sent, and over TLS any body, goes
 * slice by slice, as fast as its caller reads it: TLS encrypts at once what it is given and keeps that until it is read,
 * besides the body, which pages share and budgets count once. A text would be held several times too.
 */
function writeInSlices(
  response: ServerResponse,
  body: HttpAnswer['body'],
  last: (rest: string | Buffer) => void,
): void {
  if (body instanceof LateText) return writeEach(response, cut(body), last);
  if (body.length <= sliceBytes) return last(body);
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
  if (response.req.socket instanceof TLSSocket) writeEach(response, cut([bytes]), last);
  else last(bytes);
}

function* cut(parts: Iterable<Buffer>): Generator<Buffer> {
  for (const part of parts)
    for (let at = 0; at < part.length; at += sliceBytes) yield part.subarray(at, at + sliceBytes);
}

/** Each in a turn of the event loop of its own: for who reads fast, all would be made in one. */
function writeEach(response: ServerResponse, slices: Iterator<Buffer>, last: (rest: string) => void): void {
  const { value, done } = slices.next() as IteratorResult<Buffer, undefined>;
  if (done === true) return last('');
  response.write(value, (error) => {
    if (!error) setImmediate(() => writeEach(response, slices, last));
  });
}

function drain(request: IncomingMessage, done: () => void): void {
  const { socket } = request;
  const areTooSmall = createChunkSizeCheck();
  let bytes = 0;
  const stop = () => {
    clearTimeout(timer);
    request.off('data', onData).off('end', stop).off('close', stop);
    socket.off('end', stop);
    done();
  };
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (areTooSmall(chunk.length)) stop();
    // Not closed yet: who goes on sending would see that before the response, as Node.js's fetch does.
    else if (bytes > maxDrainBytes) request.pause().socket.pause();
  };
  const timer = setTimeout(stop, maxDrainMs);
  request.on('data', onData).on('end', stop).on('close', stop);
  // The caller has said that no more comes, in the middle of the body.
  socket.on('end', stop);
  request.resume();
}
