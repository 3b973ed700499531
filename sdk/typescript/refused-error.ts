import type { ErrorReason } from '../../generated/imageanalysis/v1/errors.js';

/** Stable reasons of refusals; branch on them. */
export type Reason = Exclude<keyof typeof ErrorReason, 'UNSPECIFIED' | 'UNRECOGNIZED'>;

/** What is known about a refusal. */
export interface Refusal {
  /**
   * The service's reason; undefined if there is none, for example if it cannot be reached. A newer
   * service may send a reason that this version's type does not include.
   */
  readonly reason: Reason | undefined;
  /** Name of the gRPC status code, `UNAVAILABLE` for example. */
  readonly code: string;
  /**
   * Values for programs: `field`, `value`, `limit` and the like. `begun` with UNAVAILABLE: a worker had the
   * picture, which may be what broke the service, so do not resend it automatically.
   */
  readonly details: Readonly<Record<string, string>>;
  /** After how long to retry. */
  readonly retryAfterSeconds: number | undefined;
  /** Identifies the request in the service's log. Over REST only. */
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

  constructor(message: string, refusal: Partial<Refusal> & Pick<Refusal, 'code'>, options?: { cause?: unknown }) {
    super(message, options);
    this.reason = refusal.reason;
    this.code = refusal.code;
    this.details = refusal.details ?? {};
    this.retryAfterSeconds = refusal.retryAfterSeconds;
    this.requestId = refusal.requestId;
  }
}
