import { randomUUID } from 'node:crypto';

/** Harmless in a header, in metadata and in a log line. */
const harmless = /^[A-Za-z0-9_-]{1,128}$/;

/** The request id that a caller sent if it is harmless, otherwise a new one. */
export function requestIdOf(given: unknown): string {
  return typeof given === 'string' && harmless.test(given) ? given : randomUUID();
}
