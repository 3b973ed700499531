import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { getPriority, platform } from 'node:os';
import { test } from 'node:test';
import { promisify } from 'node:util';

const module = new URL('../../../runtime/node-patches/thread-priority.js', import.meta.url);

/** Of a process of its own, in which libuv has started its threads. */
const script = `
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { putOthersBehindMainThread } from ${JSON.stringify(module.href)};

await readFile('/proc/self/stat');
putOthersBehindMainThread(process.pid);
const threads = readdirSync('/proc/self/task').map((id) => ({
  isMain: Number(id) === process.pid,
  name: readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim(),
  nice: getPriority(Number(id)),
}));
process.stdout.write(JSON.stringify(threads));
`;

interface Thread {
  readonly isMain: boolean;
  readonly name: string;
  readonly nice: number;
}

test('puts all threads but the main thread and those of V8 behind', { skip: platform() !== 'linux' }, async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  const threads = JSON.parse(stdout) as readonly Thread[];
  const before = threads.filter(({ nice }) => nice === getPriority());
  const behind = threads.filter(({ nice }) => nice === 10);
  assert.equal(before.length, 6);
  assert.ok(before.some(({ isMain }) => isMain));
  assert.ok(behind.length >= 4, 'those of libuv');
  assert.equal(before.length + behind.length, threads.length);
  // Newer versions of Node.js name them.
  assert.deepEqual(
    behind.filter(({ name }) => /V8Worker|Scheduler|DelayedTaskSche/.test(name)),
    [],
  );
});
