import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LimitAnswer, LimitOrder, LimitSettings } from './messages.js';

// The limit's process: threads that decode and infer, without service, queue and network.

const settings = JSON.parse(process.argv[2] ?? '') as LimitSettings;
const workers: Worker[] = [];
for (let at = 0; at < settings.threads; at += 1) {
  const worker = new Worker(new URL('./limit-worker.js', import.meta.url), { workerData: settings });
  await once(worker, 'message');
  workers.push(worker);
}

process.on('message', (order: LimitOrder) => {
  void run(order).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

async function run(order: LimitOrder): Promise<LimitAnswer> {
  const startedAt = performance.now();
  const answers = await Promise.all(
    workers.slice(0, order.threads).map(async (worker) => {
      worker.postMessage(order);
      const [answer] = (await once(worker, 'message')) as [LimitAnswer];
      return answer;
    }),
  );
  return { latenciesMs: answers.flatMap(({ latenciesMs }) => latenciesMs), elapsedMs: performance.now() - startedAt };
}
