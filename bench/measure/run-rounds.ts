import type { Cell, Plan } from '../plan.js';
import type { System, WindowResult } from '../systems/system.js';
import { usageOf } from './process-tree.js';
import type { Sample } from './records.js';

/**
 * Measures in rounds: each round takes every cell, and in each cell every system one after the
 * other, so that what else happens on the machine hits all of them alike. The order turns by one
 * from round to round.
 */
export async function runRounds(options: {
  readonly plan: Plan;
  readonly systems: readonly System[];
  /** When the whole run began, by performance.now(). */
  readonly startedAt: number;
  readonly cellsOf: (system: System) => readonly Cell[];
  readonly onSample: (sample: Sample, done: number, total: number) => void;
  readonly onRound: (round: number) => Promise<void>;
}): Promise<Sample[]> {
  const { plan, systems, cellsOf } = options;
  const cells = plan.cells.concat(plan.peerCells.filter((cell) => !has(plan.cells, cell)));
  const takes = (system: System, cell: Cell, round: number): boolean =>
    system.sets.includes(cell.set) &&
    has(cellsOf(system), cell) &&
    (!system.isSlow || round < plan.slowRounds);
  const rounds = Array.from({ length: plan.rounds }, (_, round) => round);
  const total = rounds.flatMap((round) =>
    cells.flatMap((cell) => systems.filter((system) => takes(system, cell, round))),
  ).length;
  const samples: Sample[] = [];
  const firstAt = performance.now();
  for (const round of rounds) {
    for (const cell of cells) {
      const turned = [...systems.slice(round % systems.length), ...systems].slice(
        0,
        systems.length,
      );
      for (const system of turned) {
        if (!takes(system, cell, round)) continue;
        const sample = await measure(system, cell, plan, round);
        samples.push(sample);
        options.onSample(sample, samples.length, total);
      }
    }
    await options.onRound(round);
    const now = performance.now();
    const roundMs = (now - firstAt) / (round + 1);
    if (now - options.startedAt + roundMs > plan.maxMs) break;
  }
  return samples;
}

async function measure(system: System, cell: Cell, plan: Plan, round: number): Promise<Sample> {
  const { windowMs, minRequests } = plan;
  system.takeWorkTimes?.();
  const before = usageOf(system.pids);
  const result: WindowResult = await system.run({ ...cell, windowMs, minRequests });
  const after = usageOf(system.pids);
  const answered = result.latenciesMs.length;
  return {
    round,
    system: system.name,
    ...cell,
    throughput: (answered * 1000) / result.elapsedMs,
    latenciesMs: result.latenciesMs,
    refused: result.refused,
    failed: result.failed,
    workMs: system.takeWorkTimes?.() ?? [],
    cpuMs:
      before && after && answered > 0
        ? ((after.cpuSeconds - before.cpuSeconds) * 1000) / answered
        : undefined,
  };
}

function has(cells: readonly Cell[], { set, concurrency }: Cell): boolean {
  return cells.some((cell) => cell.set === set && cell.concurrency === concurrency);
}
