import { readFile } from 'node:fs/promises';
import { isGrpcServing, isHttpServing } from './is-serving.js';
import { whichProcess } from './which-process.js';

// `node dist/launcher/health-main.js [core|facade]`: exits 0 when that process of this machine serves, in a
// container without a name the one that it was started for; for images without curl. Over plain connections:
// where TLS is on, ask with a client of its own.

const name = process.argv[2] ?? whichProcess(await readFile('/proc/1/cmdline', 'utf8'));
const checks: Readonly<Record<string, () => Promise<boolean>>> = {
  core: () => isGrpcServing(`127.0.0.1:${process.env['CORE_PORT'] || 50_051}`),
  facade: () => isHttpServing(`http://127.0.0.1:${process.env['REST_PORT'] || 8_080}/readyz`),
};
const check = checks[name];
if (!check) throw new Error(`the process is "${name}", want ${Object.keys(checks).join(' or ')}`);
process.exit((await check()) ? 0 : 1);
