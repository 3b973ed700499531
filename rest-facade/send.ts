import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpAnswer } from './transcode/http-error.js';
import { createChunkSizeCheck } from '../runtime/chunk-size.js';
import { createSlot } from '../runtime/slot.js';
import { contentLength } from './upload/read-body.js';

/** How much of a refused body is still read, and how long. */
const maxDrainBytes = 32 * 1024 * 1024;
const maxDrainMs = 2_000;

/**
 * Sends an answer, JSON where its headers say nothing else. Closing a socket with unread bytes in it
 * makes the kernel reset the connection, and the caller, still sending, would lose the answer. So where
 * the request's body was not read to its end, the answer goes out first and a bounded part of the body
 * is read and dropped, a smaller one where its chunks are too small. The connection is kept when that was all
 * of it: under a flood, new connections would cost more than refusals do.
 */
export function send(request: IncomingMessage, response: ServerResponse, answer: HttpAnswer): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.statusCode = answer.status;
  const isEmpty = answer.body.length === 0;
  if (!isEmpty) response.setHeader('content-type', 'application/json; charset=utf-8');
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  if (request.complete || !hasBody(request)) {
    response.end(answer.body);
    return;
  }
  // Without the wished-for "100 Continue" nothing of the body is on its way.
  const isOnItsWay = !awaitsContinue(request);
  const canEndSoon = isOnItsWay && (contentLength(request) ?? Infinity) <= maxDrainBytes;
  if (!canEndSoon) response.setHeader('connection', 'close');
  if (!isOnItsWay) {
    response.end(answer.body);
    return;
  }
  if (!isEmpty) response.setHeader('content-length', Buffer.byteLength(answer.body));
  response.write(answer.body);
  drain(request, () => {
    // Else megabytes more would be read and parsed before the connection is closed.
    if (!request.complete) request.pause().socket.pause();
    response.end(() => {
      if (!request.complete) request.socket.destroySoon();
    });
  });
}

function drain(request: IncomingMessage, done: () => void): void {
  const areTooSmall = createChunkSizeCheck();
  let bytes = 0;
  const finish = () => {
    clearTimeout(timer);
    request.off('data', onData).off('end', finish).off('close', finish);
    done();
  };
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxDrainBytes || areTooSmall(chunk.length)) finish();
  };
  const timer = setTimeout(finish, maxDrainMs);
  request.on('data', onData).on('end', finish).on('close', finish);
  request.resume();
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || (contentLength(request) ?? 0) > 0;
}

const continued = createSlot<IncomingMessage, true>();

/** Lets a caller that sent `Expect: 100-continue` send its body; called when nothing speaks against it. */
export function allowBody(request: IncomingMessage, response: ServerResponse): void {
  if (!awaitsContinue(request)) return;
  continued.set(request, true);
  response.writeContinue();
}

function awaitsContinue(request: IncomingMessage): boolean {
  return /^100-continue$/i.test(request.headers.expect ?? '') && !continued.get(request);
}
