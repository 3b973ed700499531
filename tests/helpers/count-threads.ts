import type { TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';

/** How many threads there are, were at most, and have begun, of those that begin from now on. */
export function countThreads(t: TestContext) {
  const threads = { living: 0, most: 0, begun: 0 };
  const count = (worker: Worker) => {
    threads.begun += 1;
    threads.living += 1;
    threads.most = Math.max(threads.most, threads.living);
    worker.once('exit', () => (threads.living -= 1));
  };
  process.on('worker', count);
  t.after(() => process.off('worker', count));
  return threads;
}
