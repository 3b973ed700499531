const yearSeconds = 365 * 24 * 60 * 60;

/** Responses are private JSON, not pages; the pages for browsers override these. With TLS, HSTS is among them. */
export const answerHeaders = (isTls: boolean): Readonly<Record<string, string>> => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  ...(isTls && { 'strict-transport-security': `max-age=${yearSeconds}` }),
});
