import type { Logger } from 'pino';

/** What a handler knows of the call it answers, beside the request message. */
export interface Call {
  /**
   * Aborted when the caller goes away or the deadline passes; `signal.reason` is then the
   * Refusal to answer with. Work that has not begun must not begin.
   */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline; Infinity without one. */
  readonly timeLeftMs: () => number;
  /** Id of the request, as sent by the caller or made here; in every log line. */
  readonly requestId: string;
  /** Public id of the API key that the call came with. */
  readonly keyId: string;
  /** Address of the peer, for slowing down password guessing. */
  readonly peer: string;
  /** W3C `traceparent` of the call, where it is traced. */
  readonly trace?: string | undefined;
  /**
   * Tells the caller that a worker has its picture: when this core dies from now on, the picture may be
   * why, and should not be sent to the next.
   */
  readonly tellBegun: () => void;
  /** Logger that carries the request id. */
  readonly log: Logger;
}
