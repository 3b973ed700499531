import { status } from '@grpc/grpc-js';
import { codeOfReason, type Reason } from '../runtime/reasons.js';

/** All that a caller learns of a fault. */
export const internalMessage = 'the service failed to answer this request';

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
    return internalFault(caught);
  }
}

/** A refusal that the facade gives itself. */
export function refuse(reason: Reason, message: string, options?: RefusalOptions): Refusal {
  return new Refusal(codeOfReason[reason], reason, message, options);
}

/** What the caller must send is not there. @param field as the caller knows it */
export function missingField(field: string, wish: string): Refusal {
  return refuse('MISSING_FIELD', `${field} is missing, want ${wish}`, { details: { field } });
}

/**
 * The same refusal where a worker had the picture already, which may be what broke the service: a program
 * should not send it again by itself. Only of UNAVAILABLE, which tells to try again.
 */
export function markBegun(refusal: Refusal): Refusal {
  const { code, reason, message, details, cause } = refusal;
  if (code !== status.UNAVAILABLE) return refusal;
  return new Refusal(code, reason, message, { details: { ...details, begun: 'true' }, cause });
}

/** What every fault is to callers; `cause` goes to the log. */
export function internalFault(cause: unknown): Refusal {
  return refuse('INTERNAL', internalMessage, { cause });
}

/** Only the log shows it: nobody is there to read an answer. */
export function callerGone(cause?: unknown): Refusal {
  return refuse('CLIENT_CLOSED', 'the caller went away before the answer was ready', { cause });
}

/** A method that a path does not take. @param allow those that it takes */
export function methodNotAllowed(method: string, allow: readonly string[]): Refusal {
  const wish = allow.length > 0 ? allow.join(' or ') : 'another';
  return refuse('METHOD_NOT_ALLOWED', `method is ${method}, want ${wish}`, {
    details: { method, allow: allow.join(', ') },
    allow,
  });
}
