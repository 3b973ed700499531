import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { shuttingDown } from '../../runtime/errors/refusal.js';
import type { CoreClient } from '../core-client/core-client.js';
import type { HttpAnswer } from '../response/send.js';

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
 * this process is not stopping), `/openapi.json`, and the files for browsers where they are wanted.
 * @throws Error when one of these is missing
 */
export function createPages(deps: {
  readonly document: object;
  readonly core: Pick<CoreClient, 'checkHealth'>;
  readonly isDraining: () => boolean;
  readonly isForBrowsers: boolean;
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
    ['/openapi.json', () => ({ status: 200, headers: {}, body: document })],
  ]);
  if (!deps.isForBrowsers) return pages;
  // Relative, because a proxy may have stripped a prefix.
  pages.set('/docs/', () => ({ status: 308, headers: { location: '../docs' }, body: '' }));
  for (const [address, file] of staticFiles()) pages.set(address, createFilePage(file));
  return pages;
}

/** Root of the project, relative to `dist/rest-facade/pages/`. */
const root = fileURLToPath(new URL('../../..', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
};

/** The files for browsers by address: console, viewer, sample pictures. Nothing else on the disk is accessible. */
function* staticFiles(): Generator<[address: string, file: string]> {
  const web = path.join(root, 'rest-facade/web');
  const compiled = path.join(root, 'dist/rest-facade/web');
  const viewer = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist'));
  yield ['/', `${web}/console/index.html`];
  yield ['/docs', `${web}/docs/index.html`];
  yield ['/icon.svg', `${web}/icon.svg`];
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css']) yield [`/docs/${name}`, `${viewer}/${name}`];
  for (const name of ['astronaut.jpg', 'meter.jpg']) yield [`/samples/${name}`, path.join(root, 'samples', name)];
  for (const part of ['console', 'docs']) {
    for (const name of readdirSync(`${web}/${part}`)) {
      if (name.endsWith('.css')) yield [`/${part}/${name}`, `${web}/${part}/${name}`];
      // Based on the sources: what remains in dist/ of a deleted file is not served.
      const script = name.replace(/\.ts$/, '.js');
      if (script !== name) yield [`/${part}/${script}`, `${compiled}/${part}/${script}`];
    }
  }
}

/** A page that is a file, which is read now. @throws Error when it is missing */
function createFilePage(file: string): Page {
  const body = readFileSync(file);
  const type = types[path.extname(file)];
  if (type === undefined) throw new Error(`${file} has an extension that is not served`);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers = {
    'content-type': type,
    // Revalidated each time, but sent only if it has changed.
    'cache-control': 'no-cache',
    etag,
    'content-security-policy': contentPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(self)',
  };
  return (ifNoneMatch) =>
    ifNoneMatch?.includes(etag) ? { status: 304, headers, body: '' } : { status: 200, headers, body };
}
