import type { IncomingHttpHeaders } from 'node:http';
import type { Refusal } from '../../runtime/errors/refusal.js';
import type { HttpAnswer } from '../response/send.js';

/** How a call of one request and one response, which a browser can make, stands in HTTP. */
export interface WebProtocol {
  /** Of a response, without `proto` or `json`. */
  readonly contentType: string;
  /** What the caller says of its patience, milliseconds. @throws Refusal INVALID_FIELD */
  readonly readTimeout: (headers: IncomingHttpHeaders) => number | undefined;
  /** The message in a body. @throws Refusal */
  readonly readMessage: (body: Buffer) => Buffer;
  /** The body for a message. */
  readonly writeMessage: (message: Buffer) => Buffer;
  /** In place of a response. */
  readonly refuse: (refusal: Refusal) => HttpAnswer;
}
