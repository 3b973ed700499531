import type { ErrorReason } from '../../generated/imageanalysis/v1/errors.js';

/** Stable reasons of refusals; branch on them. */
export type Reason = Exclude<keyof typeof ErrorReason, 'UNSPECIFIED'>;

/** What is known of a refusal. */
export interface Refusal {
  /**
   * The service's own word; undefined when there is none, as when it cannot be reached. A newer
   * service may send a reason that this version's type does not name.
   */
  readonly reason: Reason | undefined;
  /** Name of the gRPC status code, `UNAVAILABLE` for example. */
  readonly code: string;
  /**
   * Facts for a program: `field`, `value`, `limit` and the like. `begun` with UNAVAILABLE: a worker had the
   * picture, which may be what broke the service; no program should send it again by itself.
   */
  readonly details: Readonly<Record<string, string>>;
  /** When trying again is worth it. */
  readonly retryAfterSeconds: number | undefined;
  /** Names the request in the service's log. Over REST only. */
  readonly requestId?: string | undefined;
}

/** A call that was refused or failed. */
export class RefusedError extends Error implements Refusal {
  override readonly name = 'RefusedError';
  readonly reason: Reason | undefined;
  readonly code: string;
  readonly details: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, refusal: Refusal, options?: { cause?: unknown }) {
    super(message, options);
    this.reason = refusal.reason;
    this.code = refusal.code;
    this.details = refusal.details;
    this.retryAfterSeconds = refusal.retryAfterSeconds;
    this.requestId = refusal.requestId;
  }
}
