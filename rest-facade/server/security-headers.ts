import { answerHeaders } from './answer-headers.js';
import type { Middleware } from './middleware.js';

/** Sets the headers of every response. A draining process makes clients reconnect. */
export function securityHeaders(deps: {
  readonly isDraining: () => boolean;
  readonly isTls: boolean;
}): Middleware {
  const headers = Object.entries(answerHeaders(deps.isTls));
  return (_request, response) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    if (deps.isDraining()) response.setHeader('connection', 'close');
  };
}
