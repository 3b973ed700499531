import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const url = (file: string): string => JSON.stringify(new URL(`../../../runtime/${file}`, import.meta.url).href);

/** What a process that serves does after its start, and every half minute: here at once. */
const script = `
  import { putOthersBehindMainThread } from ${url('node-patches/thread-priority.js')};
  import { giveBackMemory } from ${url('process/give-back-memory.js')};
  globalThis.setInterval = (callback) => setTimeout(callback);
  putOthersBehindMainThread(process.pid);
  giveBackMemory({ info() {} });
`;

test('what serves goes on where there is no /proc', (t) => {
  const inEmptyProc = (...command: string[]) =>
    spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh', ...command], {
      encoding: 'utf8',
    });
  if (inEmptyProc('true').status !== 0) return t.skip('this user may not make a namespace');
  const { status, stderr } = inEmptyProc(process.execPath, '--input-type=module', '--eval', script);
  assert.equal(status, 0, stderr);
});
