import { shuttingDown } from '../../runtime/errors/refusal.js';
import type { CoreClient } from '../core-client/core-client.js';
import type { HttpAnswer } from '../response/send.js';
import type { StaticFile } from './static-files.js';

const healthTimeoutMs = 2_000;

/** Answers a request for a page, or rejects with a Refusal. @param ifNoneMatch the header */
export type Page = (ifNoneMatch: string | undefined) => HttpAnswer | Promise<HttpAnswer>;

/**
 * What pages may load: their own files, and the API of the same origin. Swagger UI draws its icons
 * from data URLs and sizes elements with style attributes; scripts come from files only.
 */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Pages that need no key, by path: `/livez` (the process is alive), `/readyz` (the core is serving and
 * this process is not stopping), `/openapi.json`, and the files of the console and the document's
 * viewer.
 */
export function createPages(deps: {
  readonly document: object;
  readonly files: ReadonlyMap<string, StaticFile>;
  readonly core: Pick<CoreClient, 'checkHealth'>;
  readonly isDraining: () => boolean;
}): ReadonlyMap<string, Page> {
  // Bytes, so that all responses share them: of a text, each would hold a copy until it is sent.
  const document = Buffer.from(JSON.stringify(deps.document));
  const success = { status: 200, headers: {}, body: JSON.stringify({ message: 'success' }) };
  const pages = new Map<string, Page>([
    ['/livez', () => success],
    [
      '/readyz',
      async () => {
        if (deps.isDraining()) throw shuttingDown();
        await deps.core.checkHealth(healthTimeoutMs);
        return success;
      },
    ],
    // Relative, because a proxy may have stripped a prefix.
    ['/docs/', () => ({ status: 308, headers: { location: '../docs' }, body: '' })],
    ['/openapi.json', () => ({ status: 200, headers: {}, body: document })],
  ]);
  for (const [path, file] of deps.files) pages.set(path, (ifNoneMatch) => answerFile(file, ifNoneMatch));
  return pages;
}

function answerFile({ type, body, etag }: StaticFile, ifNoneMatch: string | undefined): HttpAnswer {
  const headers = {
    'content-type': type,
    // Revalidated each time, but sent only if it has changed.
    'cache-control': 'no-cache',
    etag,
    'content-security-policy': contentPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(self)',
  };
  if (ifNoneMatch?.includes(etag)) return { status: 304, headers, body: '' };
  return { status: 200, headers, body };
}
