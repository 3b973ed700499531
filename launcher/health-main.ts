import { isGrpcServing, isHttpServing } from './is-serving.js';

// `node dist/launcher/health-main.js core|facade`: exits 0 when that process of this machine serves,
// for images without curl. Over plain connections: where TLS is on, ask with a client of its own.

const [name] = process.argv.slice(2);
const checks: Readonly<Record<string, () => Promise<boolean>>> = {
  core: () => isGrpcServing(`127.0.0.1:${process.env['CORE_PORT'] || 50_051}`),
  facade: () => isHttpServing(`http://127.0.0.1:${process.env['REST_PORT'] || 8_080}/readyz`),
};
const check = checks[name ?? ''];
if (!check) throw new Error(`want one of ${Object.keys(checks).join(', ')}`);
process.exit((await check()) ? 0 : 1);
