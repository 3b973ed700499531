import type { Logger } from 'pino';

/** What a handler knows about the call, besides the request message. */
export interface Call {
  /**
   * Aborted when the caller goes away or the deadline passes; `signal.reason` is then the
   * Refusal to answer with. Work that has not started must not start.
   */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline; Infinity without one. */
  readonly timeLeftMs: () => number;
  /** When the queue is full: `refuse` (default) rejects with QUEUE_FULL, `queue` waits for room, as requests of a stream do. */
  readonly wait?: 'refuse' | 'queue';
  /** Counts a further picture of the call as a request of its key; rejects with RATE_LIMITED. */
  readonly admitRequest?: (() => Promise<void>) | undefined;
  /** Public id of the call's API key. */
  readonly keyId: string;
  /** The caller's address; behind a trusted facade, that of the facade's client. */
  readonly clientAddress: string;
  /** W3C `traceparent` of the call, if it is traced. */
  readonly trace?: string | undefined;
  /**
   * Tells the caller that a worker has started on its picture: if this core dies from now on, the picture may be the
   * cause, and should not be sent to another. The pool calls it; the caller gets the response's headers, empty, before
   * its message; and the facade adds `begun` to the details of a call that breaks off after them, which it does not
   * repeat.
   */
  readonly reportStart: () => void;
  /** Logger that carries the request id, sent by the caller or generated here. */
  readonly log: Logger;
}
