import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file as it is served. */
export type StaticFile = ReturnType<typeof loadFile>;

/** Root of the project, relative to `dist/rest-facade/pages/`. */
const root = fileURLToPath(new URL('../../..', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
};

/**
 * The files for browsers by address, read once: the console, the viewer of the OpenAPI document, and
 * the sample pictures. Nothing else on the disk is accessible.
 * @throws Error when one is missing
 */
export function loadStaticFiles(): ReadonlyMap<string, StaticFile> {
  const web = path.join(root, 'rest-facade/web');
  const compiled = path.join(root, 'dist/rest-facade/web');
  const viewer = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist'));
  const files: [address: string, file: string][] = [
    ['/', `${web}/console/index.html`],
    ['/docs', `${web}/docs/index.html`],
    ['/docs/swagger-ui-bundle.js', `${viewer}/swagger-ui-bundle.js`],
    ['/docs/swagger-ui.css', `${viewer}/swagger-ui.css`],
    ['/samples/astronaut.jpg', path.join(root, 'samples/astronaut.jpg')],
    ['/samples/meter.jpg', path.join(root, 'samples/meter.jpg')],
    ['/icon.svg', `${web}/icon.svg`],
  ];
  for (const part of ['console', 'docs']) {
    for (const name of readdirSync(`${web}/${part}`)) {
      if (name.endsWith('.css')) files.push([`/${part}/${name}`, `${web}/${part}/${name}`]);
      // Based on the sources: what remains in dist/ of a deleted file is not served.
      const script = name.replace(/\.ts$/, '.js');
      if (script !== name) files.push([`/${part}/${script}`, `${compiled}/${part}/${script}`]);
    }
  }
  return new Map(files.map(([address, file]) => [address, loadFile(file)]));
}

function loadFile(file: string) {
  const body = readFileSync(file);
  const type = types[path.extname(file)];
  if (type === undefined) throw new Error(`${file} has an extension that is not served`);
  // For `If-None-Match`.
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { type, body, etag };
}
