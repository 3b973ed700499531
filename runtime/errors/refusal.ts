import type { status } from '@grpc/grpc-js';
import { codeOfReason, type Reason } from './reasons.js';

interface RefusalOptions {
  /** Machine-readable facts for the caller: `field`, `value`, `limit` and the like. Never secrets. */
  readonly details?: Readonly<Record<string, string>> | undefined;
  /** When trying again is worth it, whole seconds. */
  readonly retryAfterSeconds?: number | undefined;
  /** What went wrong underneath; goes to the log, never to the caller. */
  readonly cause?: unknown;
}

/** A refusal or fault as the caller sees it: code, reason, a sentence. What went wrong underneath is its cause. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly details: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;

  /**
   * For one that was sent: `reason` is a string, since a newer core may know reasons that a facade does not.
   *
   * Its stack, which nobody is shown, would be most of what a refusal costs: under a flood by REST, they took 28 and 34 ms
   * at the 99th percentile without it, and 51 and 53 with it. The limit is the whole process's, so nothing waits in between.
   */
  constructor(
    readonly code: status,
    readonly reason: string,
    message: string,
    { details = {}, retryAfterSeconds, cause }: RefusalOptions = {},
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, cause === undefined ? undefined : { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Everything caught passes here: a Refusal stays itself, anything else becomes INTERNAL with the cause kept. */
export function asRefusal(caught: unknown): Refusal {
  return caught instanceof Refusal ? caught : internalFault(caught);
}

/** What a refusal has besides its message and its other details. */
export interface Facts extends Omit<RefusalOptions, 'details'> {
  /** What was sent, or how much of it; no secret. In the details, as the limit is. */
  readonly value?: string | number | undefined;
  readonly limit?: string | number | undefined;
}

/** A refusal of this process. */
export function refuse(
  reason: Reason,
  message: string,
  { value, limit, ...options }: Facts & RefusalOptions = {},
): Refusal {
  const details = {
    ...options.details,
    ...(value !== undefined && { value: String(value) }),
    ...(limit !== undefined && { limit: String(limit) }),
  };
  return new Refusal(codeOfReason[reason], reason, message, { ...options, details });
}

// The refusals that are given in more than one place, each worded once.

/** What every fault is to callers; `cause` goes to the log. */
export function internalFault(cause: unknown): Refusal {
  return refuse('INTERNAL', 'the service failed to answer this request', { cause });
}

/** Refuses one field, as the caller knows it. @param clause `is empty, want a value` */
export function refuseField(reason: Reason, field: string, clause: string, facts?: Facts): Refusal {
  return refuse(reason, `${field} ${clause}`, { ...facts, details: { field } });
}

/** What must be sent is not there. */
export function missingField(field: string, wish: string): Refusal {
  return refuseField('MISSING_FIELD', field, `is missing, want ${wish}`);
}

/** A text is not what its field takes. Not for secrets: the message repeats it. */
export function invalidField(field: string, sent: string, wish: string, reason: Reason = 'INVALID_FIELD'): Refusal {
  return refuseField(reason, field, `is ${quote(sent)}, want ${wish}`, { value: clip(sent) });
}

/** A body, or a file in it, is larger than allowed. */
export function bodyTooLarge(what: string, maxBytes: number): Refusal {
  return refuseField('BODY_TOO_LARGE', what, `is too large, want at most ${maxBytes} bytes`, { limit: maxBytes });
}

/** There is no room for what is being received, or for a response. */
export function noRoom(): Refusal {
  const message = 'the service has all the uploads and responses it can hold, try again in 1 s';
  return refuse('QUEUE_FULL', message, { details: { field: 'memory' }, retryAfterSeconds: 1 });
}

/** @param what there are too many of; how many there may be depends on who else has some */
export function tooManyOpen(what: string): Refusal {
  const message = `too many ${what} are open, try again in 1 s`;
  return refuse('QUEUE_FULL', message, { details: { field: what }, retryAfterSeconds: 1 });
}

export function shuttingDown(whatToDo = 'try again'): Refusal {
  return refuse('SHUTTING_DOWN', `the service is shutting down, ${whatToDo}`);
}

/** Only the log shows it: nobody is there to read an answer. */
export function callerGone(cause?: unknown): Refusal {
  return refuse('CLIENT_CLOSED', 'the caller went away before the answer was ready', { cause });
}

export function deadlinePassed(cause?: unknown): Refusal {
  return refuse('DEADLINE', 'the deadline passed before the answer was ready, try again', { cause });
}

const maxShownLength = 128;

/** A text as it may stand in details: not endless, and without half a character, which strict readers of JSON refuse. */
export function clip(text: string): string {
  return (text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text).toWellFormed();
}

/** A text as it may stand in a message: quoted, control characters and what is not seen escaped, not endless. */
export function quote(text: string): string {
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  // JSON escapes those below the blank. These act on terminals, too, turn the direction of what follows, or, as the
  // zero-width space after a copied name, would leave nobody an idea of what is wrong.
  const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
  return JSON.stringify(clip(text)).replace(unseen, (one) => one.split('').map(escape).join(''));
}
