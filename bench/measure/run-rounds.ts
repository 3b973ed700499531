import type { Cell, Plan } from '../plan.js';
import type { System, WindowResult } from '../systems/system.js';
import { usageOf } from './process-tree.js';
import type { Sample } from './records.js';
import { withStolenShare } from './stolen-time.js';

/** One system at one point of the table. */
interface Window {
  readonly system: System;
  readonly cell: Cell;
  /** Of the cell in the plan. */
  readonly at: number;
}

/** A window of which a hypervisor gave away more than this share is measured again; the least disturbed one counts. */
const maxStolen = 0.02;
const maxAttempts = 3;
/** Of a window, however long they take. */
const minRequests = 2;
/** Of the plan's time, in which windows are repeated. */
const shareForRepeats = 0.85;

/**
 * Measures in rounds: each round takes every cell, and in each cell every system one after the
 * other, so that what else happens on the machine hits all of them alike. The order turns by one
 * from round to round. Ends with the rounds of the plan, or before one that would take it past its time.
 */
export async function runRounds(options: {
  readonly plan: Plan;
  readonly systems: readonly System[];
  /** When the whole run began, by performance.now(). */
  readonly startedAt: number;
  readonly cellsOf: (system: System) => readonly Cell[];
  readonly onSample: (sample: Sample) => void;
  readonly onRound: (round: number) => Promise<void>;
}): Promise<Sample[]> {
  const { plan, systems, cellsOf } = options;
  const windowsOf = (round: number): Window[] => {
    const first = round % systems.length;
    const turned = [...systems.slice(first), ...systems.slice(0, first)];
    return plan.cells.flatMap((cell, at) =>
      turned
        .filter(({ isSlow }) => !isSlow || round < plan.slowRounds)
        .filter((system) => system.sets.includes(cell.set) && has(cellsOf(system), cell))
        .map((system) => ({ system, cell, at })),
    );
  };

  const samples: Sample[] = [];
  const lastMs = new Map<string, number>();
  const timed = async <Result>(what: string, work: Promise<Result>): Promise<Result> => {
    const startedAt = performance.now();
    const result = await work;
    lastMs.set(what, performance.now() - startedAt);
    return result;
  };
  const isTimeFor = (round: number): boolean => {
    const parts = [...windowsOf(round).map(nameOf), 'between rounds'];
    const expectedMs = parts.reduce((sum, part) => sum + (lastMs.get(part) ?? 0), 0);
    return performance.now() - options.startedAt + expectedMs <= plan.maxMs;
  };
  const mayRepeat = ({ system }: Window): boolean =>
    !system.isSlow && performance.now() - options.startedAt < plan.maxMs * shareForRepeats;
  const measureUndisturbed = async (window: Window, round: number): Promise<Sample> => {
    let best = await measure(window, plan, round);
    for (let at = 1; at < maxAttempts && best.stolen > maxStolen && mayRepeat(window); at += 1) {
      const sample = await measure(window, plan, round);
      if (sample.stolen < best.stolen) best = sample;
    }
    return best;
  };
  for (let round = 0; round < plan.rounds && (round === 0 || isTimeFor(round)); round += 1) {
    for (const window of windowsOf(round)) {
      const sample = await timed(nameOf(window), measureUndisturbed(window, round));
      samples.push(sample);
      options.onSample(sample);
    }
    await timed('between rounds', options.onRound(round));
  }
  return samples;
}

async function measure({ system, cell, at }: Window, plan: Plan, round: number): Promise<Sample> {
  const { windowMs } = plan;
  system.takeWorkTimes?.();
  const before = usageOf(system.pids);
  const { result, stolen } = await withStolenShare<WindowResult>(() => system.run({ ...cell, windowMs, minRequests }));
  const after = usageOf(system.pids);
  const answered = result.latenciesMs.length;
  return {
    round,
    at,
    system: system.name,
    ...cell,
    throughput: (answered * 1000) / result.elapsedMs,
    latenciesMs: result.latenciesMs,
    refused: result.refused,
    failed: result.failed,
    failure: result.failure,
    workMs: system.takeWorkTimes?.() ?? [],
    stolen,
    cpuMs: before && after && answered > 0 ? ((after.cpuSeconds - before.cpuSeconds) * 1000) / answered : undefined,
  };
}

function nameOf({ system, cell }: Window): string {
  return `${system.name} ${cell.set} ${cell.concurrency}`;
}

function has(cells: readonly Cell[], { set, concurrency }: Cell): boolean {
  return cells.some((cell) => cell.set === set && cell.concurrency === concurrency);
}
