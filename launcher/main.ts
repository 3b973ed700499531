import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodeOf } from '../runtime/process/exit-codes.js';
import { launch, type Launched } from './launch.js';
import { readyLine, welcomeText } from './welcome.js';

const abort = new AbortController();
let service: Launched | undefined;

// Under npm, Ctrl-C arrives twice: from the terminal, and forwarded by npm.
const sameRequestMs = 500;
let askedAt = 0;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stopOrKill);
if (process.env['MAKELEVEL'] ?? process.env['npm_lifecycle_event']) stopWithParent();

// If nobody reads any more, or the disk is full, the service keeps running.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
const log = (line: string) => process.stderr.write(`launcher: ${line}\n`);

try {
  service = await launch({ env: process.env, log, signal: abort.signal });
  const root = path.resolve(fileURLToPath(new URL('../..', import.meta.url)));
  process.stdout.write(`${welcomeText(service, root, process.env)}\n${readyLine(service)}\n`);

  if (!abort.signal.aborted) await Promise.race([once(abort.signal, 'abort'), service.failure]);
  log('stopping');
} catch (error) {
  if (!abort.signal.aborted) {
    log(error instanceof Error ? error.message : String(error));
    process.exitCode = exitCodeOf(error);
  }
} finally {
  await service?.stop();
  // Lines that nobody reads would keep it.
  setTimeout(() => process.exit(), 1_000).unref();
}

/** Lets requests in flight finish; a second time, kills everything immediately. */
function stopOrKill(): void {
  if (!abort.signal.aborted) {
    askedAt = performance.now();
    abort.abort();
    return;
  }
  if (performance.now() - askedAt < sameRequestMs) return;
  // Any children still running see their channel close and exit as well.
  service?.kill();
  process.exit(1);
}

/** A killed make or npm cannot forward the signal, and would leave the launcher running unnoticed. */
function stopWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent && !abort.signal.aborted) stopOrKill();
  }, 1_000).unref();
}
