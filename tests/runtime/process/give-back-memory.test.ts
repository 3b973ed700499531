import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { giveBackMemory, loadTrim } from '../../../runtime/process/give-back-memory.js';

/** Leaves a block in ten of 200 MB, so that the rest is no end of a heap; prints what is resident before and after. */
const giveBack = `
  let giveBack;
  globalThis.setInterval = (callback) => ({ unref: () => (giveBack = callback) });
  giveBackMemory({ info: console.error });
  await loadTrim(); // so that it has it, too
  let blocks = Array.from({ length: 2_000 }, () => Buffer.alloc(100_000, 1));
  blocks = blocks.filter((block, at) => at % 10 === 0);
  globalThis.gc();
  while (process.memoryUsage().arrayBuffers > 30_000_000) await new Promise(setImmediate); // freed by another thread
  const before = process.memoryUsage.rss();
  giveBack();
  console.log(before - process.memoryUsage.rss(), blocks.length);
`;

/** Where the library is missing. */
const lackLibrary = `
  import { register } from 'node:module';
  const resolve = (name, context, next) => { if (name === 'koffi') throw new Error('no koffi'); return next(name, context); };
  register('data:text/javascript,export const resolve = ' + resolve);
  giveBackMemory({ info: ({ err }, text) => console.log(err.message, text) });
`;

/** @returns what it prints */
async function run(script: string): Promise<string> {
  const module = new URL('../../../runtime/process/give-back-memory.js', import.meta.url).href;
  const whole = `import { giveBackMemory, loadTrim } from '${module}';${script}`;
  const args = ['--expose-gc', '--input-type=module', '--eval', whole];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

test('memory between blocks that are still in use goes back to the system', async (t) => {
  if (!(await loadTrim().catch(() => undefined))) return t.skip('there is no glibc');
  const freed = await run(giveBack);
  assert.ok(Number.parseInt(freed) > 100_000_000, freed);
});

test('garbage is collected where there is much, and again when there is twice of what was left', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const mebibyte = 2 ** 20;
  let [inHeap, outside] = [0, 0];
  const readHeap = () => ({ used_heap_size: inHeap, external_memory: outside });
  giveBackMemory({ info: () => undefined }, readHeap as never);
  const isCollected = async (heap: number, beside: number): Promise<boolean> => {
    [inHeap, outside] = [heap * mebibyte, beside * mebibyte];
    const garbage = new WeakRef({});
    await nextTurn();
    t.mock.timers.tick(30_000);
    return garbage.deref() === undefined;
  };
  const table: [heap: number, beside: number, isCollected: boolean][] = [
    [30, 60, false],
    [90, 10, true],
    // All of it was in use.
    [120, 30, false],
    [150, 60, true],
    [300, 100, false],
    // Much of that has been freed.
    [20, 40, false],
    [80, 45, true],
  ];
  for (const [heap, beside, expected] of table)
    assert.equal(await isCollected(heap, beside), expected, `${heap} and ${beside} MiB`);
});

test('the log says once why memory cannot go back', async () => {
  assert.match(await run(lackLibrary), /^no koffi freed memory stays [^\n]*\n$/);
});
