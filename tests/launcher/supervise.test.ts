import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { supervise, type SuperviseOptions } from '../../launcher/supervise.js';
import { deferred } from '../helpers/deferred.js';
import { eventually } from '../helpers/eventually.js';
import { isAlive, writeProgram } from './stand-ins.js';

const staysAlive = 'setInterval(() => {}, 1000);';
const heedsItsWord = `process.on('message', () => process.exit(0)); ${staysAlive}`;

async function superviseProgram(t: TestContext, source: string, options: Partial<SuperviseOptions> = {}) {
  const file = await writeProgram(t, source);
  const lines: string[] = [];
  const supervised = supervise({
    name: 'program',
    file,
    env: process.env,
    log: (line) => lines.push(line),
    backoffMs: 10,
    stopGraceMs: 20_000,
    ...options,
  });
  t.after(() => {
    supervised.kill();
  });
  return { supervised, lines };
}

describe('supervise', () => {
  it('doubles the wait with each immediate failure', async (t) => {
    const { supervised, lines } = await superviseProgram(t, 'process.exit(3)');
    supervised.markReady();
    await eventually(() => lines.length >= 4);
    await supervised.stop();
    assert.deepEqual(
      lines.slice(0, 4),
      [20, 40, 80, 160].map((ms) => `program ended (exit code 3); starting it again in ${ms} ms`),
    );
  });

  it('restarts a process at once that has served long enough', async (t) => {
    const options = { stableAfterMs: 0 };
    const source = "process.send({ type: 'serving' }, () => process.exit(3));";
    const { supervised, lines } = await superviseProgram(t, source, options);
    supervised.markReady();
    await eventually(() => lines.length >= 2);
    await supervised.stop();
    assert.equal(lines[1], 'program ended (exit code 3); starting it again at once');
  });

  it('gives up on a process that never serves, however long each start takes', async (t) => {
    const { supervised, lines } = await superviseProgram(t, 'process.exit(3)', { stableAfterMs: 0 });
    supervised.markReady();
    await assert.rejects(supervised.failure, {
      message: 'the program exits every time it is started (exit code 3); stopping',
    });
    assert.equal(supervised.pid, undefined);
    assert.equal(lines.length, 4);
  });

  it('does not give up on a process that is killed from outside', async (t) => {
    const { supervised } = await superviseProgram(t, staysAlive);
    supervised.markReady();
    let last: number | undefined;
    for (let kills = 0; kills < 6; kills++) {
      last = await eventually(() => supervised.pid !== last && supervised.pid);
      process.kill(last, 'SIGKILL');
    }
    assert.ok(await eventually(() => supervised.pid !== last && supervised.pid));
  });

  it('reports a process that ends before it was ready, and does not restart it', async (t) => {
    const { supervised, lines } = await superviseProgram(t, 'process.exit(2)');
    await assert.rejects(supervised.failure, {
      // Its settings are wrong: whoever starts the supervisor is told so by the exit code.
      name: 'ConfigError',
      message: 'the program exited during startup (exit code 2); its lines above say why',
    });
    await sleep(100);
    assert.equal(supervised.pid, undefined);
    assert.deepEqual(lines, []);
  });

  it('points to no lines of a process that a signal ended, as where memory or threads run out', async (t) => {
    const { supervised } = await superviseProgram(t, "process.kill(process.pid, 'SIGKILL')");
    await assert.rejects(supervised.failure, {
      message: 'the program exited during startup (SIGKILL); memory or threads may have run out',
    });
  });

  it('reports a process that cannot be started', async (t) => {
    const { execPath } = process;
    t.after(() => (process.execPath = execPath));
    process.execPath = '/nowhere/node';
    const { supervised } = await superviseProgram(t, staysAlive);
    await assert.rejects(supervised.failure, {
      message: 'the program exited during startup (spawn /nowhere/node ENOENT); its lines above say why',
    });
  });

  it('lets a process end by itself when stopped, and does not restart it', async (t) => {
    const { supervised, lines } = await superviseProgram(t, heedsItsWord);
    supervised.markReady();
    const pid = await eventually(() => supervised.pid);
    await supervised.stop();
    await sleep(100);
    assert.ok(!isAlive(pid));
    assert.equal(supervised.pid, undefined);
    assert.deepEqual(lines, []);
  });

  it('leaves signals, which reach the whole group, to the supervisor', async (t) => {
    const source = `for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM']) process.kill(process.pid, signal);
      setTimeout(() => process.exit(8), 100);`;
    const { supervised } = await superviseProgram(t, source);
    await assert.rejects(supervised.failure, {
      name: 'Error',
      message: 'the program exited during startup (exit code 8); its lines above say why',
    });
  });

  it('does not start a process that is stopped while it waits for its restart', async (t) => {
    const waits = deferred<string>();
    const { supervised } = await superviseProgram(t, staysAlive, { backoffMs: 100, log: waits.resolve });
    supervised.markReady();
    process.kill(await eventually(() => supervised.pid), 'SIGKILL');
    assert.match(await waits.promise, /starting it again in 100 ms$/);
    await supervised.stop();
    await sleep(400);
    assert.equal(supervised.pid, undefined);
  });

  it('leaves no process behind when the supervisor itself is killed', async (t) => {
    const child = await writeProgram(t, `console.log('runs'); ${staysAlive}`);
    const module = new URL('../../launcher/supervise.js', import.meta.url).href;
    const parent = await writeProgram(
      t,
      `import { supervise } from ${JSON.stringify(module)};
       const child = supervise({ name: 'program', file: ${JSON.stringify(child)}, env: process.env, log() {} });
       console.log(child.pid);`,
    );
    const supervisor = spawn(process.execPath, [parent], { stdio: ['ignore', 'pipe', 'pipe'] });
    // The child's output goes there; by then it has loaded what listens for its parent.
    const runs = once(supervisor.stderr, 'data');
    const [chunk] = (await once(supervisor.stdout, 'data')) as [Buffer];
    const pid = Number(chunk.toString());
    t.after(() => isAlive(pid) && process.kill(pid, 'SIGKILL'));
    assert.equal(String((await runs)[0]), 'runs\n');
    assert.ok(isAlive(pid));
    supervisor.kill('SIGKILL');
    await eventually(() => !isAlive(pid));
  });
});
