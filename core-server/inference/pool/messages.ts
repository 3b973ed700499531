import type { Transferable } from 'node:worker_threads';
import type { status } from '@grpc/grpc-js';
import { Refusal } from '../../../runtime/errors/refusal.js';

/** From the pool to a worker, which has one job at a time. */
export type ToWorker =
  | {
      readonly type: 'run';
      readonly task: string;
      readonly input: unknown;
      /** What of the input was transferred: the worker gives it back if it returns the job. */
      readonly transfer: readonly Transferable[];
      /** Its share of the memory, reserved already. */
      readonly weight: number;
      /** Whether the core of an idle worker may help. */
      readonly hasSpareCore: boolean;
    }
  /** What came of a reservation. */
  | { readonly type: 'reserved'; readonly isGranted: boolean }
  /** The job's caller is gone: steps that have not started need not start. */
  | { readonly type: 'cancel' }
  /** Release what is held and exit. */
  | { readonly type: 'close' };

/** From a worker to the pool. */
export type FromWorker =
  | { readonly type: 'ready' }
  /** The job needs this share of the memory, and the worker waits for the answer. */
  | { readonly type: 'reserve'; readonly weight: number }
  /** The job has to wait for memory; what was transferred comes back with it. */
  | {
      readonly type: 'returned';
      readonly input?: unknown;
      readonly transfer: readonly Transferable[];
    }
  | { readonly type: 'done'; readonly output: unknown; readonly jobMs: number }
  | { readonly type: 'failed'; readonly error: WireError; readonly jobMs: number };

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
