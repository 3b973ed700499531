import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const url = JSON.stringify(new URL('../../../runtime/node-patches/thread-priority.js', import.meta.url));

/** What a worker does, as CommonJS, and then the process. */
const worker = `import(${url}).then(({ putBehindMainThread }) => {
  putBehindMainThread(process.pid);
  require('node:worker_threads').parentPort.postMessage(require('node:os').getPriority());
})`;
const script = `
  import { readdirSync } from 'node:fs';
  import { getPriority, setPriority } from 'node:os';
  import { once } from 'node:events';
  import { Worker } from 'node:worker_threads';
  import { putOthersBehindMainThread } from ${url};
  setPriority(19);
  const [one] = await once(new Worker(${JSON.stringify(worker)}, { eval: true, execArgv: [] }), 'message');
  putOthersBehindMainThread(process.pid);
  const all = readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)));
  console.log(JSON.stringify([one, ...new Set(all)]));
`;

test('no thread comes before the main thread of a process that was started with a high nice value', async () => {
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.deepEqual(JSON.parse(stdout), [19, 19]);
});
