import { workerData } from 'node:worker_threads';
import { createLog } from '../observe/log.js';
import type { Watched } from './watch-main-thread.js';

// The thread that `watchMainThread` starts.

/** By number instead of time: where the whole process was suspended, both threads go on at once. */
const maxStill = 30;
/** Further ones before the kill, in which the main thread ends what it waited for, on a busy machine. */
const graceStill = 3;

const { service, everyMs, beats } = workerData as Watched;
const log = createLog({ level: 'fatal', service, fd: 1 });
let last = -1;
let still = 0;
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  still = beat === last ? still + 1 : 0;
  last = beat;
  // This waits as the main thread may: for a stopped terminal, or a disk. If so, both go on at once, too.
  if (still === maxStill)
    log.fatal({ stillMs: still * everyMs }, 'the main thread stands still, and is about to be killed');
  if (still > maxStill + graceStill) process.kill(process.pid, 'SIGKILL');
}, everyMs);
