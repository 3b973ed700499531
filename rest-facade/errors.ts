import { status } from '@grpc/grpc-js';
import type { ErrorReason } from '../generated/imageanalysis/v1/errors.js';

/** Name of a stable error reason, as it stands in the member `reason` of an error body. */
export type Reason = Exclude<keyof typeof ErrorReason, 'UNSPECIFIED'>;

/** The reasons that the facade itself gives, with their gRPC codes; all others come from the core. */
export const facadeReasons = {
  MISSING_FIELD: status.INVALID_ARGUMENT,
  REPEATED_FIELD: status.INVALID_ARGUMENT,
  INVALID_FIELD: status.INVALID_ARGUMENT,
  INVALID_SCORE: status.INVALID_ARGUMENT,
  MALFORMED_MULTIPART: status.INVALID_ARGUMENT,
  MALFORMED_JSON: status.INVALID_ARGUMENT,
  INVALID_DATA_URL: status.INVALID_ARGUMENT,
  INVALID_BASE64: status.INVALID_ARGUMENT,
  EMPTY_IMAGE: status.INVALID_ARGUMENT,
  MISSING_API_KEY: status.UNAUTHENTICATED,
  INVALID_API_KEY: status.UNAUTHENTICATED,
  NO_SUCH_ROUTE: status.NOT_FOUND,
  METHOD_NOT_ALLOWED: status.UNIMPLEMENTED,
  UNSUPPORTED_CONTENT_TYPE: status.INVALID_ARGUMENT,
  BODY_TOO_LARGE: status.RESOURCE_EXHAUSTED,
  QUEUE_FULL: status.RESOURCE_EXHAUSTED,
  CLIENT_CLOSED: status.CANCELLED,
  DEADLINE: status.DEADLINE_EXCEEDED,
  INTERNAL: status.INTERNAL,
  CORE_UNAVAILABLE: status.UNAVAILABLE,
  SHUTTING_DOWN: status.UNAVAILABLE,
} as const satisfies Partial<Record<Reason, status>>;

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

/** A refusal for a reason that the facade gives itself. */
export function refuse(
  reason: keyof typeof facadeReasons,
  message: string,
  options?: RefusalOptions,
): Refusal {
  return new Refusal(facadeReasons[reason], reason, message, options);
}
