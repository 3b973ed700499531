import type { IncomingMessage } from 'node:http';
import { callerGone, clip, quote, Refusal, refuse } from '../../../runtime/errors/refusal.js';
import type { BudgetShare } from '../../../runtime/limits/fair-budget.js';
import { reserveBody } from '../../reserve-memory.js';
import { describeJson } from '../describe-json.js';
import { contentLength } from './body-framing.js';
import { bodyTooLarge, type ByteCollector, createByteCollector } from './byte-collector.js';

/** What reading a body needs besides the request. */
export interface ReadOptions {
  /** Aborted with the Refusal to send when the caller goes away or time is up. */
  readonly signal: AbortSignal;
  readonly budget: BudgetShare;
  /** Limit of the whole body. */
  readonly maxBodyBytes: number;
  /** Called when the headers are valid and reading starts. */
  readonly start: () => void;
}

/**
 * Refuses based on the headers alone, before any of the body is read.
 * @throws Refusal BODY_TOO_LARGE, UNSUPPORTED_CONTENT_TYPE
 */
export function checkBodyHeaders(request: IncomingMessage, maxBodyBytes: number): void {
  if ((contentLength(request) ?? 0) > maxBodyBytes) throw bodyTooLarge('body', maxBodyBytes);
  const transfer = request.headers['transfer-encoding'];
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    throw refuse('UNSUPPORTED_CONTENT_TYPE', `transfer-encoding is ${quote(transfer)}, want chunked`, {
      details: { field: 'transfer-encoding', value: clip(transfer) },
    });
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw refuse('UNSUPPORTED_CONTENT_TYPE', `content-encoding is ${quote(encoding)}, want none`, {
      details: { field: 'content-encoding', value: clip(encoding) },
    });
}

/** Reads a JSON body, which may have any content type. */
export async function readJsonObject(
  request: IncomingMessage,
  options: ReadOptions,
): Promise<{ members: Record<string, unknown>; release: () => void }> {
  const collector = createByteCollector({
    what: 'body',
    maxBytes: options.maxBodyBytes,
    expectedBytes: contentLength(request),
  });
  const { grow, release } = reserveBody(options.budget);
  try {
    options.start();
    await pump(request, options.signal, (chunk) => {
      grow(chunk.length);
      collector.push(chunk);
    });
    return { members: parseJsonObject(collector), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** More than any legitimate body has; strings may contain these characters too. */
const maxMarks = 10_000;

/**
 * Whether a text has few of the characters that precede each value. Parsing megabytes of small values would
 * take seconds, and a hundred times the memory of the text.
 */
function hasFewValues(json: Buffer): boolean {
  let found = 0;
  for (const mark of Buffer.from('[{:,')) {
    for (let at = json.indexOf(mark); at >= 0; at = json.indexOf(mark, at + 1)) {
      found += 1;
      if (found > maxMarks) return false;
    }
  }
  return true;
}

/** @throws Refusal MALFORMED_JSON */
function parseJsonObject(collector: ByteCollector): Record<string, unknown> {
  const malformed = (what: string, wish: string) => refuse('MALFORMED_JSON', `body ${what}, want ${wish}`);
  const bytes = collector.bytes();
  if (!hasFewValues(bytes)) throw malformed(`has more than ${maxMarks} values`, 'a JSON object with fewer');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed('is not UTF-8', 'a JSON object in UTF-8');
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw malformed('is not JSON', 'a JSON object');
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw malformed(`is ${describeJson(json)}`, 'a JSON object');
  return json as Record<string, unknown>;
}

/** Passes on the chunks of a request until its end; stops reading on the first error. */
export function pump(request: IncomingMessage, signal: AbortSignal, onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (error?: unknown) => {
      request.off('data', onData).off('end', onEnd).off('error', onError);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined) return resolve();
      request.pause();
      reject(Refusal.from(error));
    };
    const onData = (chunk: Buffer) => {
      try {
        onChunk(chunk);
      } catch (error) {
        finish(error);
      }
    };
    const onEnd = () => finish();
    const onError = (cause: unknown) => finish(callerGone(cause));
    const onAbort = () => finish(signal.reason);
    if (signal.aborted) return reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort);
    request.on('data', onData).on('end', onEnd).on('error', onError);
  });
}
