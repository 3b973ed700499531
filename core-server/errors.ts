import type { status } from '@grpc/grpc-js';
import { codeOfReason, type Reason } from '../runtime/reasons.js';

/** What a refusal tells beside its reason. */
export interface ServiceErrorOptions {
  /** Machine-readable facts for the caller: `field`, `value`, `limit` and the like. Never secrets. */
  readonly details?: Readonly<Record<string, string>>;
  /** When trying again is worth it, whole seconds. */
  readonly retryAfterSeconds?: number;
  /** What went wrong underneath; goes to the log, never to the caller. */
  readonly cause?: unknown;
}

/** A refusal or fault that a caller may see: a stable reason and a sentence naming field, value and wish. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly reason: Reason;
  readonly details: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: Reason, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get code(): status {
    return codeOfReason[this.reason];
  }

  /** Everything caught passes here: a ServiceError stays itself, anything else becomes INTERNAL with the cause kept. */
  static from(caught: unknown): ServiceError {
    if (caught instanceof ServiceError) return caught;
    return new ServiceError('INTERNAL', 'the service failed to answer this request', {
      cause: caught,
    });
  }
}
