import { setTimeout } from 'node:timers/promises';
import { inspectPicture } from '../../core-server/image/inspect/inspect-picture.js';
import { receivePicture } from '../../core-server/image/inspect/receive-picture.js';
import { cpuClock } from '../accuracy/cpu-clock.js';
import { defaultLimits } from '../core-server/image/fixtures.js';
import { mainThreadMs } from '../helpers/thread-cost.js';

/** What requests cost the main threads of core and facade, milliseconds of processor time. */
interface CostMeter {
  /** False where the system does not count. */
  readonly counts: boolean;
  /** What was done since the last call, by process. */
  take(): number[];
}

export function createCostMeter(pids: () => Readonly<Record<string, number | undefined>>): CostMeter {
  const read = () => Object.values(pids()).map((pid) => mainThreadMs(pid));
  let last = read();
  return {
    counts: last.every((ms) => ms !== undefined),
    take() {
      const now = read();
      const spent = now.map((ms, process) => (ms ?? 0) - (last[process] ?? 0));
      last = now;
      return spent;
    },
  };
}

/** For each main thread: 5 ms a request, and 1 ms for each 100 KB. */
export function costLine(bytes: number, requests: number): number {
  return 5 * requests + bytes / 100_000;
}

/** For the inspection of a picture, whose thread is a worker's: twice that. */
export function inspectionLine({ length }: Buffer): number {
  return 2 * costLine(length, 1);
}

/** What it takes this thread, milliseconds of processor time: on a busy machine the clock runs on meanwhile. */
export function inspectionMs(picture: Buffer): number {
  const startedAt = cpuClock();
  try {
    inspectPicture(receivePicture(picture, defaultLimits), defaultLimits);
  } catch {
    // Refused: whether rightly, the service's answer shows.
  }
  return cpuClock() - startedAt;
}

/**
 * The least that was measured: again if it is too much, since a collection or a compilation may have fallen into it, and
 * ever later, since a shared processor has slow seconds.
 */
export async function leastCost(line: number, measure: () => Promise<number> | number): Promise<number> {
  let least = await measure();
  for (let round = 1; round < 24 && least > line; round += 1) {
    await setTimeout(round * 30);
    least = Math.min(least, await measure());
  }
  return least;
}

/** The shortest part of the bytes that is still too dear, found by leaving out ever smaller pieces. */
export function minimise(bytes: Buffer, isTooDear: (bytes: Buffer) => boolean): Buffer {
  let shortest = bytes;
  for (let piece = bytes.length >> 1; piece >= 1 && piece >= bytes.length >> 8; piece >>= 1) {
    for (let at = 0; at < shortest.length;) {
      const shorter = Buffer.concat([shortest.subarray(0, at), shortest.subarray(at + piece)]);
      if (isTooDear(shorter)) shortest = shorter;
      else at += piece;
    }
  }
  return shortest;
}
