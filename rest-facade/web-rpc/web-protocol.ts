import type { Refusal } from '../../runtime/errors/refusal.js';
import type { LateText } from '../response/late-base64.js';
import type { HttpAnswer } from '../response/send.js';

/** How a call of one request and one response, which a browser can make, stands in HTTP. */
export interface WebProtocol {
  /** Of a response, without `proto` or `json`. */
  readonly contentType: string;
  /** Header with the caller's patience, and how that reads in milliseconds. */
  readonly timeoutHeader: string;
  /** @throws Refusal INVALID_FIELD */
  readonly parseTimeout: (given: string) => number;
  /** The message in a body. @throws Refusal */
  readonly readMessage: (body: Buffer) => Buffer;
  readonly writeMessage: (message: Buffer | LateText) => Buffer | LateText;
  /** In place of a response. */
  readonly refuse: (refusal: Refusal) => HttpAnswer;
}
