import type { status } from '@grpc/grpc-js';
import { codeOfReason, type Reason } from '../runtime/reasons.js';

/** What a refusal tells beside its code and reason. */
export interface RefusalOptions {
  /** Machine-readable facts for the caller: `field`, `value`, `limit` and the like. Never secrets. */
  readonly details?: Readonly<Record<string, string>> | undefined;
  /** When trying again is worth it, whole seconds. */
  readonly retryAfterSeconds?: number | undefined;
  /** Methods that the path takes, for the header `Allow`. */
  readonly allow?: readonly string[] | undefined;
  /** What went wrong underneath; goes to the log, never to the caller. */
  readonly cause?: unknown;
}

/** A refusal or fault as the caller sees it: gRPC code, stable reason, a sentence naming field, value and wish. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly details: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: readonly string[] | undefined;

  /** `reason` is a string, since a newer core may know reasons that this facade does not. */
  constructor(
    readonly code: status,
    readonly reason: string,
    message: string,
    options: RefusalOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
  }

  /** Everything caught passes here: a Refusal stays itself, anything else becomes INTERNAL with the cause kept. */
  static from(caught: unknown): Refusal {
    if (caught instanceof Refusal) return caught;
    return refuse('INTERNAL', 'The service failed to answer this request.', { cause: caught });
  }
}

/** A refusal that the facade gives itself. */
export function refuse(reason: Reason, message: string, options?: RefusalOptions): Refusal {
  return new Refusal(codeOfReason[reason], reason, message, options);
}
