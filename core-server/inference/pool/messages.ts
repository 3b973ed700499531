import type { status } from '@grpc/grpc-js';
import { Refusal } from '../../../runtime/errors/refusal.js';

/** From the pool to a worker, which has one job at a time. */
export type ToWorker =
  | {
      readonly type: 'run';
      readonly task: string;
      readonly input: unknown;
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
  | { readonly type: 'done'; readonly output: unknown }
  | { readonly type: 'failed'; readonly error: WireError };

/** An error as sent between threads, where classes are lost. */
export type WireError =
  | {
      readonly kind: 'refusal';
      readonly code: status;
      readonly reason: string;
      readonly message: string;
      readonly details: Readonly<Record<string, string>>;
      readonly retryAfterSeconds: number | undefined;
      readonly cause: string | undefined;
    }
  | { readonly kind: 'fault'; readonly message: string; readonly stack: string };

/** A task's error, ready to be sent. */
export function toWireError(thrown: unknown): WireError {
  if (thrown instanceof Refusal) {
    const { code, reason, message, details, retryAfterSeconds, cause } = thrown;
    const told = cause === undefined ? undefined : describe(cause);
    return { kind: 'refusal', code, reason, message, details, retryAfterSeconds, cause: told };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { kind: 'fault', message, stack: describe(thrown) };
}

/** The error for the caller of the pool: a refusal unchanged, anything else INTERNAL with its stack as the cause. */
export function fromWireError(error: WireError): Refusal {
  if (error.kind === 'fault') {
    const cause = new Error(error.message);
    cause.stack = error.stack;
    return Refusal.from(cause);
  }
  const { code, reason, message, details, retryAfterSeconds, cause } = error;
  return new Refusal(code, reason, message, { details, retryAfterSeconds, cause });
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
