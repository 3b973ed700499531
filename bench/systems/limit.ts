import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LimitAnswer, LimitOrder, LimitSettings } from '../limit/messages.js';
import type { SetName } from '../pictures.js';
import { nextMessage } from './child.js';
import type { System } from './system.js';

/** The limit: decoding and inference in as many threads as cores, or as requests where these are fewer. */
export async function startLimit(settings: LimitSettings): Promise<System> {
  const file = fileURLToPath(new URL('../limit/limit-main.js', import.meta.url));
  const child = fork(file, [JSON.stringify(settings)]);
  await nextMessage(child);
  return {
    name: 'limit',
    title: 'limit: decoding + onnxruntime',
    sets: settings.sets.map(({ name }): SetName => name),
    pids: [child.pid ?? 0],
    async run({ set, concurrency, windowMs, minRequests }) {
      const threads = Math.min(concurrency, settings.threads);
      child.send({ set, windowMs, minRequests, threads } satisfies LimitOrder);
      return { ...(await nextMessage<LimitAnswer>(child)), refused: 0, failed: 0 };
    },
    async close() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
