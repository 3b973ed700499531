import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startLoadProcess } from './load/load-process.js';
import { measureHealth } from './measure/health.js';
import { usageOf } from './measure/process-tree.js';
import { addedToWork } from './measure/ratios.js';
import type { SystemFacts } from './measure/records.js';
import { measureResident } from './measure/resident.js';
import { runRounds } from './measure/run-rounds.js';
import { measureStarts } from './measure/start-times.js';
import { median } from './measure/statistics.js';
import { warmUp } from './measure/warm-up.js';
import { makePictures } from './pictures.js';
import { type Cell, fullPlan, quickPlan } from './plan.js';
import { computeCpuRatios, computeRatios, describeMachine } from './report/figures.js';
import { renderFacts, renderRatios, renderTable, toRows } from './report/table.js';
import { startPeers } from './systems/peers.js';
import { createRunFolder } from './systems/run-folder.js';
import { startOwnSystems } from './systems/start-all.js';
import type { System } from './systems/system.js';

// Measures the service beside its limit and its peers: `make bench`, `BENCH=quick make bench`.

const startedAt = performance.now();
const root = new URL('../../', import.meta.url);
const at = (file: string): string => fileURLToPath(new URL(file, root));
const plan = process.env['BENCH'] === 'quick' ? quickPlan : fullPlan;
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const folder = createRunFolder('bench');
const threads = availableParallelism();

say('making the pictures');
const pictures = await makePictures(path.join(folder, 'pictures'), at('samples'));
const titles = Object.fromEntries(pictures.map(({ name, title }) => [name, title]));

say('measuring starts');
const startMs = await measureStarts(folder, threads, plan.starts);

say('starting the limit, our processes and the peers');
const load = startLoadProcess();
const own = await startOwnSystems({ root, folder, pictures, threads, load });
const peers = await startPeers({
  root: at('.'),
  sharedFolder: path.resolve(at('.'), process.env['SHARED_DIR'] || '../shared'),
  load,
  pictures,
  say,
});
const systems = [...own.systems, ...peers];

say('warming up');
const cellsOf = (system: System): readonly Cell[] => (peers.includes(system) ? plan.peerCells : plan.cells);
const setsOf = (system: System) => system.sets.filter((set) => cellsOf(system).some((cell) => cell.set === set));
const found = await warmUp(systems, setsOf, say);
await own.facade.run({ set: 'vga', concurrency: 8, windowMs: plan.compileMs, minRequests: 1 });
const coreBytes = await measureResident(own.core);

const residentBytes = new Map<string, number[]>(systems.map(({ name }) => [name, []]));
const health: number[] = [];
const samples = await runRounds({
  plan,
  startedAt,
  systems,
  cellsOf,
  onSample({ round, system, set, concurrency, throughput, failed, failure }) {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    const failures = failure === undefined ? '' : `, ${failed} failed, the first: ${failure}`;
    say(`${seconds} s, round ${round + 1}: ${system} ${set} x${concurrency} ${throughput.toFixed(1)}/s${failures}`);
  },
  async onRound() {
    const windowMs = plan.healthWindowMs;
    health.push(await measureHealth(own.core, { grpc: own.grpc, folder, windowMs }));
    for (const { name, pids } of systems) {
      const usage = usageOf(pids);
      if (usage) residentBytes.get(name)?.push(usage.residentBytes);
    }
  },
});

const facts: Record<string, SystemFacts> = {};
for (const { name, title, pids } of systems) {
  facts[name] = {
    title,
    residentBytes: residentBytes.get(name) ?? [],
    peakBytes: usageOf(pids)?.peakBytes,
    found: found.get(name) ?? {},
  };
}
say('stopping all');
for (const system of [...systems].reverse()) await system.close();
load.close();

const rows = toRows(samples);
const ratios = computeRatios(samples, { healthP99Ms: median(health), coreBytes, startMs });
const rounds = new Set(samples.map(({ round }) => round)).size;
process.stdout.write(
  [
    `${describeMachine()}; ${rounds} of ${plan.rounds} rounds; ${describeStolen()}`,
    renderTable(rows, facts, titles),
    renderFacts(facts),
    renderRatios(ratios),
    renderCpuRatios(computeCpuRatios(rows)),
    `of added_ms_p50 by facade and gRPC: ${addedToWork(samples, 'facade', 'vga')?.toFixed(2) ?? '-'} ms; the rest by the core\n`,
  ].join('\n\n'),
);

function describeStolen(): string {
  const stolen = samples.map((sample) => sample.stolen * 100);
  const [usual, most] = [median(stolen), Math.max(...stolen)].map((share) => share.toFixed(0));
  return `of the processors' time, other machines took ${usual} % in the median window, ${most} % at most`;
}

function renderCpuRatios(cpuRatios: Readonly<Record<string, number | null>>): string {
  const words = Object.entries(cpuRatios).map(([k, v]) => `${k} ${v?.toFixed(2) ?? '-'}`);
  return `processor time, limit over system, 8 at a time: ${words.join(', ')}`;
}
