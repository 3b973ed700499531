import { existsSync, readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/**
 * Added to the nice value of the main thread, since Linux keeps one per thread: accepting, answering and refusing calls
 * comes before pictures.
 *
 * Gain: refusals in a flood of ten times the capacity, p99 of three runs: 53 to 76 ms instead of 148 to 9,274; the event
 * loop of a saturated core was 17 ms late instead of 31 (bench/TRIED.md).
 * Cost: on Linux only, where threads are found in /proc; other processes of the machine come before pictures, too.
 * Delete when Node.js can start threads with a priority.
 */
const behindTheMainThread = 10;
const threads = '/proc/self/task';
const isOneAThread = existsSync(threads);

/** Never less than it is: where a process was started with `nice`, only root may go back. */
const valueBehind = (mainThread: number): number =>
  Math.min(constants.priority.PRIORITY_LOW, getPriority(mainThread) + behindTheMainThread);

/** The calling thread. @param mainThread its id, which is that of the process */
export function putBehindMainThread(mainThread: number): void {
  if (isOneAThread) setPriority(valueBehind(mainThread));
}

/**
 * Puts all other threads of the process behind the main thread. libuv's threads decode pictures and start
 * libvips' threads, which inherit the value: together they take as much processor time as the workers.
 */
export function putOthersBehindMainThread(mainThread: number): void {
  if (!isOneAThread) return;
  const value = valueBehind(mainThread);
  for (const thread of readdirSync(threads).map(Number)) {
    if (thread === mainThread) continue;
    try {
      setPriority(thread, value);
    } catch {
      // The thread has already ended.
    }
  }
}
