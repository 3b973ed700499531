import { once } from 'node:events';
import { appendFileSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { threadId, workerData } from 'node:worker_threads';
import { serveTasks } from '../../../../core-server/inference/pool/serve-tasks.js';
import { refuse } from '../../../../runtime/errors/refusal.js';

// A worker whose tasks misbehave on demand.

/** What the tests tell it: a file to write what it did to, and how to start. */
export interface FixtureData {
  readonly journal: string;
  /** So long its thread is blocked before it serves. */
  readonly loadMs: number;
  /** Shared by all workers of a pool: 1 while none can start, 2 while each hangs as it starts. */
  readonly cannotStart: Int32Array;
  /** Shared by all workers of a pool: how many have begun to start. */
  readonly begun: Int32Array;
  /** Shared by all workers of a pool: how often `dieOnce` ran. */
  readonly runs: Int32Array;
}

/** Shared with the test: 1 while its job is held. */
export type Hold = Int32Array<SharedArrayBuffer>;

export type FixtureTasks = {
  echo: { input: unknown; output: unknown };
  thread: { input: null; output: number };
  /** Sleeps, then tells whether it had a spare core. */
  spare: { input: number; output: boolean };
  sleep: { input: number; output: string };
  /** Takes so long on its thread's clock, and no time. */
  age: { input: number; output: string };
  /** Reserves memory, sleeps, and for as long as it is held, and gives back its bytes; after less than no time it ends its thread. */
  weigh: { input: { ms: number; weight: number; bytes?: Uint8Array; hold?: Hold }; output: Uint8Array | undefined };
  /** Sleeps in steps and stops when it is told to. */
  obedient: { input: null; output: string };
  block: { input: number; output: string };
  refuse: { input: null; output: never };
  crash: { input: null; output: never };
  die: { input: null; output: never };
  /** Ends its thread the first time, answers the second time. */
  dieOnce: { input: string; output: string };
  dieLater: { input: number; output: never };
  /** Ends its thread once it is told to stop. */
  dieOnAbort: { input: null; output: never };
  /** Waits in native code until somebody opens the FIFO for writing. */
  hang: { input: string; output: string };
};

const { journal, loadMs, cannotStart, begun, runs } = workerData as FixtureData;
const write = (line: string): void => appendFileSync(journal, `${line}\n`);
const nobody = new Int32Array(new SharedArrayBuffer(4));

Atomics.add(begun, 0, 1);
if (Atomics.load(cannotStart, 0) === 1) throw new Error('no model here');
Atomics.wait(cannotStart, 0, 2);
if (loadMs > 0) Atomics.wait(nobody, 0, 0, loadMs);

serveTasks<FixtureTasks>({
  weigh: (input) => (input as Partial<FixtureTasks['weigh']['input']> | null)?.weight ?? 0,
  handlers: {
    echo: (input) => Promise.resolve(input),
    thread: () => Promise.resolve(threadId),
    async spare(ms, { hasSpareCore }) {
      await sleep(ms);
      return hasSpareCore;
    },
    async sleep(ms) {
      write('sleep begins');
      await sleep(ms);
      return 'slept';
    },
    age(ms) {
      const now = performance.now.bind(performance);
      performance.now = () => now() + ms;
      return Promise.resolve('aged');
    },
    async weigh({ ms, bytes, hold }, { signal }) {
      write('weigh begins');
      if (ms < 0) process.exit(3);
      await sleep(ms);
      while (hold && Atomics.load(hold, 0) === 1) {
        signal.throwIfAborted();
        await sleep(1);
      }
      return bytes;
    },
    async obedient(_input, { signal }) {
      write('obedient begins');
      for (let i = 0; i < 500; i += 1) {
        if (signal.aborted) write('obedient stops');
        signal.throwIfAborted();
        await sleep(5);
      }
      return 'never told';
    },
    block(ms) {
      Atomics.wait(nobody, 0, 0, ms);
      return Promise.resolve('unblocked');
    },
    refuse() {
      throw refuse('CORRUPT_IMAGE', 'image is bad, want a good one', {
        details: { field: 'image' },
        retryAfterSeconds: 3,
        cause: new Error('decoder said no'),
      });
    },
    crash() {
      throw new TypeError('undefined is not a picture');
    },
    die() {
      write('die');
      process.exit(3);
    },
    dieOnce(marker) {
      write(`dieOnce ${marker}`);
      if (Atomics.add(runs, 0, 1) === 0) process.exit(3);
      return Promise.resolve(`answered ${marker}`);
    },
    async dieLater(ms) {
      write('dieLater');
      await sleep(ms);
      process.exit(3);
    },
    async dieOnAbort(_input, { signal }) {
      write('dieOnAbort');
      await once(signal, 'abort');
      process.exit(3);
    },
    hang(fifo) {
      openSync(fifo, 'r');
      return Promise.resolve('woken');
    },
  },
  async release() {
    await sleep(1);
    write('released');
  },
});
