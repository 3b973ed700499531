import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const everyMs = 20;

/** Runs the text in a process whose main thread is watched; what it printed, and how it ended. */
async function run(body: string) {
  const { href } = new URL('../../../runtime/process/watch-main-thread.js', import.meta.url);
  const start = `import { watchMainThread } from '${href}'; watchMainThread('core', console, ${everyMs});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', start + body]);
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { printed, ended: child.signalCode ?? child.exitCode };
}

test('a process whose main thread stands still is killed, and its log says so', async () => {
  const { printed, ended } = await run(
    'setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 100);',
  );
  assert.equal(ended, 'SIGKILL');
  const { level, service, msg } = JSON.parse(printed) as Record<string, unknown>;
  assert.deepEqual(
    { level, service, msg },
    { level: 'fatal', service: 'core', msg: 'the main thread stands still, killed' },
  );
});

test('one that is busy goes on, and ends when nothing is left to do', async () => {
  const busy = `
    let turns = 0;
    const work = () => {
      for (const end = Date.now() + ${5 * everyMs}; Date.now() < end;);
      if (++turns < 12) setImmediate(work);
    };
    work();`;
  assert.deepEqual(await run(busy), { printed: '', ended: 0 });
});
