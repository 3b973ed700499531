/** Harmless in a header, in metadata and in a log line. */
const harmless = /^[A-Za-z0-9_-]{1,128}$/;

/** Whether the id that a caller gave its request is taken over; else it gets a new one. */
export function isRequestId(given: unknown): given is string {
  return typeof given === 'string' && harmless.test(given);
}
