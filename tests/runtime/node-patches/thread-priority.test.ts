import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { promisify } from 'node:util';

const url = JSON.stringify(new URL('../../../runtime/node-patches/thread-priority.js', import.meta.url));

/** What a worker does, as CommonJS, and then the process. */
const worker = `import(${url}).then(({ putBehindMainThread }) => {
  putBehindMainThread(process.pid);
  require('node:worker_threads').parentPort.postMessage(require('node:os').getPriority());
})`;
const script = (value: number) => `
  import { readdirSync } from 'node:fs';
  import { getPriority, setPriority } from 'node:os';
  import { once } from 'node:events';
  import { Worker } from 'node:worker_threads';
  import { putOthersBehindMainThread } from ${url};
  setPriority(${value});
  const [one] = await once(new Worker(${JSON.stringify(worker)}, { eval: true, execArgv: [] }), 'message');
  putOthersBehindMainThread(process.pid);
  const all = readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)));
  console.log(JSON.stringify([one, ...new Set(all)]));
`;

test('a worker and all other threads come behind the main thread, as far as a high nice value leaves room', async () => {
  for (const value of [getPriority(), 19]) {
    const args = ['--input-type=module', '--eval', script(value)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const behind = Math.min(value + 10, 19);
    assert.deepEqual(JSON.parse(stdout), [behind, ...new Set([value, behind])]);
  }
});
