import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { writeProgram } from './stand-ins.js';

const exitWithParent = new URL('../../launcher/exit-with-parent.js', import.meta.url).href;

async function startProgram(t: TestContext, source: string) {
  const file = await writeProgram(t, source);
  const child = spawn(process.execPath, ['--import', exitWithParent, file], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

test('a process that listens for the end of its launcher takes as long as it wants to', async (t) => {
  const child = await startProgram(
    t,
    `import { mock } from 'node:test';
     mock.timers.enable({ apis: ['setTimeout'] });
     process.once('disconnect', () => {
       mock.timers.tick(3_600_000);
       process.exit(7);
     });
     setInterval(() => {}, 1_000);
     process.send('ready');`,
  );
  await once(child, 'message');
  child.disconnect();
  assert.deepEqual(await once(child, 'exit'), [7, null]);
});

test('a process whose launcher is gone before it listens for its end does not run', async (t) => {
  const child = await startProgram(t, `console.log('runs'); setInterval(() => {}, 1_000);`);
  child.disconnect();
  assert.deepEqual(await once(child, 'exit'), [1, null]);
});

test('a process that has nothing to do ends', { timeout: 30_000 }, async (t) => {
  const child = await startProgram(t, 'void 0;');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});
