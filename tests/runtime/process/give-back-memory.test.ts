import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { loadTrim } from '../../../runtime/process/give-back-memory.js';

/** Leaves a block in ten of 200 MB, so that the rest is no end of a heap; prints what is resident before and after. */
const script = (module: string) => `
  import { loadTrim } from '${module}';
  const trim = await loadTrim();
  let blocks = Array.from({ length: 2_000 }, () => Buffer.alloc(100_000, 1));
  blocks = blocks.filter((block, at) => at % 10 === 0);
  globalThis.gc();
  while (process.memoryUsage().arrayBuffers > 30_000_000) await new Promise(setImmediate); // freed by another thread
  const before = process.memoryUsage.rss();
  trim();
  console.log(before - process.memoryUsage.rss(), blocks.length);
`;

test('memory between blocks that are still in use goes back to the system', async (t) => {
  if ((await loadTrim()) === undefined) return t.skip('there is no glibc');
  const module = new URL('../../../runtime/process/give-back-memory.js', import.meta.url).href;
  const args = ['--expose-gc', '--input-type=module', '--eval', script(module)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.ok(Number.parseInt(stdout) > 100_000_000, stdout);
});
