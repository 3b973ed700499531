/** Harmless in a header, in metadata and in a log line. */
const harmless = /^[A-Za-z0-9_-]{1,128}$/;

/** Whether to keep the request id that a caller sent; otherwise the request gets a new one. */
export function isRequestId(given: unknown): given is string {
  return typeof given === 'string' && harmless.test(given);
}
