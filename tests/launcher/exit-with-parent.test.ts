import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { writeProgram } from './stand-ins.js';

const exitWithParent = new URL('../../launcher/exit-with-parent.js', import.meta.url).href;
const moduleAt = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);

async function startProgram(t: TestContext, source: string, stdout: 'pipe' | 'inherit' = 'inherit') {
  const file = await writeProgram(t, source);
  const child = spawn(process.execPath, ['--import', exitWithParent, file], {
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

test('a service whose launcher is gone has its own grace, however long', async (t) => {
  const child = await startProgram(
    t,
    `import { mock } from 'node:test';
     import { runService } from ${moduleAt('runtime/process/run-service.js')};
     const graceMs = 60_000;
     const events = [];
     mock.timers.enable({ apis: ['setTimeout'] });
     process.kill = (_pid, signal) => events.push(signal);
     await runService(process, {
       name: 'core',
       readConfig: () => ({}),
       findUnknown: () => [],
       logLevelOf: () => 'silent',
       graceMsOf: () => graceMs,
       start: async () => ({
         listens: {},
         async close() {
           setTimeout(() => events.push('the grace is over'), graceMs);
         },
       }),
     });
     process.once('disconnect', () => {
       mock.timers.tick(2 * graceMs);
       console.log(JSON.stringify(events));
       process.exit();
     });
     setInterval(() => {}, 1_000);
     process.send('ready');`,
    'pipe',
  );
  assert.ok(child.stdout);
  child.on('message', (message) => {
    if (message === 'ready') child.disconnect();
  });
  assert.deepEqual(await json(child.stdout), ['the grace is over', 'SIGKILL']);
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
