import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { stop } from './helpers/command-line.js';
import { sharedDir } from './helpers/pictures/samples.js';

// Runs every tests/**/*.test.ts, compiled, by Node's test runner: `node dist/tests/run.js [word …]`
// runs the files whose path has one of the words. Its totals and exit code are the runner's.

/** For a file on Node.js 20, which counts it as one test; for a test on later ones. */
const timeoutMs = 10 * 60_000;

const words = process.argv.slice(2);

// By the sources: what is left in dist/ of a file that is gone must not run.
const sources = readdirSync('tests', { recursive: true, encoding: 'utf8' })
  .map((file) => path.join('tests', file))
  .filter((file) => file.endsWith('.test.ts'));
const files = sources
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .map((file) => path.join('dist', file.replace(/\.ts$/, '.js')))
  .sort();

const unknown = words.filter((word) => !sources.some((file) => file.includes(word)));
if (unknown.length > 0) stop(`no test file has ${unknown.join(' or ')} in its path`);
const missing = files.filter((file) => !existsSync(file));
if (missing.length > 0) stop(`not built: ${missing.join(', ')}; run "npm run build"`);

const sharedNote = existsSync(sharedDir)
  ? ''
  : `${sharedDir} is missing (SHARED_DIR): tests on its pictures are skipped.\n`;
process.stdout.write(sharedNote);

const nodeArgs = [
  '--enable-source-maps',
  '--test',
  '--test-reporter=spec',
  `--test-timeout=${timeoutMs}`,
  // Many files run inference on all cores by themselves; on two, one waits while another computes.
  `--test-concurrency=${Math.max(2, Math.floor(availableParallelism() / 2))}`,
  ...files,
];
const { status, error } = spawnSync(process.execPath, nodeArgs, {
  stdio: 'inherit',
  // Tests call only this machine, where grpc-js and curl would go through a proxy that the environment names.
  env: { ...process.env, SHARED_DIR: sharedDir, http_proxy: '', https_proxy: '', grpc_proxy: '' },
});
if (error) throw error;
process.stdout.write(sharedNote);
process.exitCode = status ?? 1;
