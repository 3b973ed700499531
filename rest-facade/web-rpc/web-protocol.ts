import type { IncomingHttpHeaders } from 'node:http';
import type { Refusal } from '../../runtime/errors/refusal.js';
import type { HttpAnswer } from '../response/send.js';

/** How a call that a browser can make stands in an HTTP request and its response. */
export interface WebProtocol {
  /** Whether it is for RPCs with streams, which have no other answer than a refusal here. */
  readonly isForStreams: boolean;
  /** Of a successful response, without `proto` or `json`. */
  readonly contentType: string;
  /** What the caller says of its patience, milliseconds. @throws Refusal INVALID_FIELD */
  readonly readTimeout: (headers: IncomingHttpHeaders) => number | undefined;
  /** The message of a request. @throws Refusal */
  readonly readMessage: (body: Buffer) => Buffer;
  /** The message of a response. */
  readonly writeMessage: (message: Buffer) => Buffer;
  /** What stands behind it. */
  readonly end: Buffer;
  /** In place of a response. */
  readonly refuse: (refusal: Refusal) => HttpAnswer;
}
