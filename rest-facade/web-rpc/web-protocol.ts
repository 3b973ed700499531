import type { IncomingHttpHeaders } from 'node:http';
import type { Refusal } from '../../runtime/errors/refusal.js';
import type { HttpAnswer } from '../response/send.js';

/** How a call that a browser can make stands in an HTTP request and its response. */
export interface WebProtocol {
  /** Which RPCs it is for: those with one response, or with a stream of them. */
  readonly takes: readonly ('one' | 'many')[];
  /** Of a successful response, without `proto` or `json`. */
  readonly contentType: string;
  /** What the caller says of its patience, milliseconds. @throws Refusal INVALID_FIELD */
  readonly readTimeout: (headers: IncomingHttpHeaders) => number | undefined;
  /** The message of a request. @throws Refusal */
  readonly readMessage: (body: Buffer) => Buffer;
  /** A message of a response. */
  readonly writeMessage: (message: Buffer) => Buffer;
  /** What stands behind the messages of a response. */
  readonly end: Buffer;
  /** In place of a response, or behind the messages of one. */
  readonly refuse: (refusal: Refusal) => HttpAnswer;
}
