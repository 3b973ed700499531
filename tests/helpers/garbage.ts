import assert from 'node:assert/strict';
import { collectGarbage } from '../../runtime/node-patches/v8-flags.js';

/**
 * Fails where the buffers of calls, each of so many bytes, outlive them until a full collection. Those come seldom, as
 * only buffers grow, and under a flood all that waits stands still meanwhile.
 */
export async function assertYoungGarbage(call: () => Promise<unknown>, bytes: number): Promise<void> {
  await call();
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const calls = 20;
  for (let i = 0; i < calls; i += 1) {
    await call();
    // As often as they come under load. What outlives two is old.
    collectGarbage({ type: 'minor' });
  }
  collectGarbage({ type: 'minor' });
  const kept = process.memoryUsage().arrayBuffers - before;
  assert.ok(kept < (calls / 4) * bytes, `${kept} bytes of ${calls} calls were kept`);
}
