import { inspect } from 'node:util';
import { asRefusal, Refusal } from '../../../runtime/errors/refusal.js';

/** From the pool to a worker, which has one job at a time. */
export type ToWorker =
  | {
      readonly type: 'run';
      readonly task: string;
      readonly input: unknown;
      /** Its share of the memory, reserved already. */
      readonly weight: number;
      /** Whether the core of an idle worker may help. */
      readonly hasSpareCore: boolean;
    }
  /** The job's caller is gone: steps that have not started need not start. */
  | { readonly type: 'cancel' }
  /** Release what is held and exit. */
  | { readonly type: 'close' };

/** From a worker to the pool. */
export type FromWorker =
  | { readonly type: 'ready' }
  /** The job needs this share of the memory first; its time does not count. */
  | { readonly type: 'returned'; readonly weight: number; readonly jobMs?: undefined }
  | { readonly type: 'done'; readonly output: unknown; readonly jobMs: number }
  | { readonly type: 'failed'; readonly error: WireError; readonly jobMs: number };

/** A refusal as sent between threads, where classes are lost. */
type WireError = ReturnType<typeof toWireError>;

export function toWireError(thrown: unknown) {
  const { code, reason, message, details, retryAfterSeconds, cause } = asRefusal(thrown);
  return { code, reason, message, details, retryAfterSeconds, cause: toPlainCause(cause) };
}

/** The refusal for the caller of the pool: anything that was thrown by mistake is the cause of an INTERNAL one. */
export function fromWireError({ code, reason, message, ...rest }: WireError): Refusal {
  return new Refusal(code, reason, message, rest);
}

/** What it has besides message and stack may be impossible to send. */
function toPlainCause(cause: unknown): Error | string | undefined {
  if (cause instanceof Error) return Object.assign(new Error(cause.message), { stack: cause.stack });
  return cause === undefined ? undefined : inspect(cause);
}
