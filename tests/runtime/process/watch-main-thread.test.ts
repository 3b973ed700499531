import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const everyMs = 20;

function program(body: string, everyMs: number): string[] {
  const { href } = new URL('../../../runtime/process/watch-main-thread.js', import.meta.url);
  const start = `import { watchMainThread } from '${href}'; watchMainThread('core', console, ${everyMs});`;
  return [process.execPath, '--input-type=module', '-e', start + body];
}

/** Runs the text in a process whose main thread is watched; what it printed, and how it ended. */
async function run(body: string) {
  const [node = '', ...args] = program(body, everyMs);
  const child = spawn(node, args);
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
    { level: 'fatal', service: 'core', msg: 'the main thread stands still, and is about to be killed' },
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

const hasScript = spawnSync('script', ['--version']).status === 0;

test(
  'one that waits for a stopped terminal goes on with it',
  { skip: !hasScript && 'there is no script' },
  async () => {
    // A busy machine must not take as long to go on.
    const everyMs = 200;
    const write = `
    import { writeSync } from 'node:fs';
    setTimeout(() => writeSync(1, ' '.repeat(2 ** 18)), ${everyMs});
    setTimeout(() => {}, ${50 * everyMs});`;
    const quoted = program(write, everyMs).map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    // Its terminal waits for whoever reads what `script` prints.
    const terminal = spawn('script', ['--quiet', '--return', '--command', quoted.join(' '), '/dev/null']);
    const exited = once(terminal, 'exit');
    await sleep(40 * everyMs);
    const [printed] = await Promise.all([text(terminal.stdout), exited]);
    assert.match(printed, /about to be killed/, 'it stood still for long enough');
    assert.equal(terminal.exitCode, 0);
  },
);

test('one that a debugger attaches to may stand still', async () => {
  const debugged = `
    import { open } from 'node:inspector';
    open(0);
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${50 * everyMs}), 200);`;
  assert.deepEqual(await run(debugged), { printed: '', ended: 0 });
});
