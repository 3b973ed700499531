import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { number, readOptions } from '../tests/helpers/command-line.js';
import { startLoadProcess } from './load/load-process.js';
import { usageOf } from './measure/process-tree.js';
import { median } from './measure/statistics.js';
import { makePictures } from './pictures.js';
import { createRunFolder } from './systems/run-folder.js';
import { grpcTargets, startCore } from './systems/service.js';

// Does the core's memory grow? Sends many requests of all picture sets in turn and compares what is
// resident at the end with what it was after the first thousand: `make soak SOAK=20000`.

const values = readOptions({ requests: number(100_000, 2000) });
const total = Number(values.requests);
const first = 1000;
const steps = 100;
const workers = 2;
/** How many times as much memory may be resident at the end. */
const asked = 1.05;
/** Of 100 requests: the mix that memory must bear. */
const mix = [
  ['vga', 80],
  ['meter', 12],
  ['crowd', 5],
  ['12mp', 3],
] as const;

const root = new URL('../../', import.meta.url);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const folder = createRunFolder('soak');
const pictures = await makePictures(path.join(folder, 'pictures'), fileURLToPath(new URL('samples', root)));
const core = await startCore(path.join(folder, 'core'), workers);
const load = startLoadProcess();
const targets = await grpcTargets(core, pictures);

/** Sends so many requests, 4 at a time, and gives the megabytes that are resident afterwards. */
async function send(requests: number): Promise<number> {
  for (const [set, share] of mix) {
    const target = targets[set];
    if (target === undefined) throw new Error(`no pictures of ${set}`);
    const minRequests = Math.round((requests * share) / 100);
    const result = await load.run({ target, concurrency: 4, windowMs: 1, minRequests, isPatient: true });
    if (result.failure !== undefined) throw new Error(result.failure);
  }
  return (usageOf(core.pids)?.residentBytes ?? NaN) / 1e6;
}

const startedAt = performance.now();
const sizes: number[] = [];
const batch = Math.max(100, Math.round((total - first) / steps / 100) * 100);
let early = NaN;
for (let done = 0; done < first; done += 100) early = await send(100);
let sent = first;
say(`${sent} requests: ${early.toFixed(0)} MB`);
while (sent < total) {
  const now = Math.min(batch, total - sent);
  sizes.push(await send(now));
  sent += now;
  const seconds = (performance.now() - startedAt) / 1000;
  say(
    `${sent} requests, ${seconds.toFixed(0)} s: ${sizes.at(-1)?.toFixed(0)} MB, ${((100 * sent) / total).toFixed(0)} %`,
  );
}
// One reading swings with what was analysed last; the last five batches do so less.
const late = median(sizes.slice(-5));
say(
  `core memory after ${total} requests over that after ${first}: ${(late / early).toFixed(3)} (${late.toFixed(0)} / ${early.toFixed(0)} MB), asked <= ${asked}`,
);
process.exitCode = late / early <= asked ? 0 : 1;
await core.close();
load.close();
