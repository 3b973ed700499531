import type { RequestHandler } from 'express';

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

/** Sets the headers of every response. A draining process makes clients reconnect. */
export function setAnswerHeaders(deps: {
  readonly isDraining: () => boolean;
  readonly isTls: boolean;
}): RequestHandler {
  const headers = Object.entries(answerHeaders(deps.isTls));
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    if (deps.isDraining()) response.setHeader('connection', 'close');
    next();
  };
}
