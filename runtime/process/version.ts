import { readFileSync } from 'node:fs';

/** Version of the project, from its `package.json`; the path is relative to `dist/runtime/process/`. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
