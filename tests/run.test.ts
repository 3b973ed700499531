import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('a word that no test file has is answered in one line, also beside others', () => {
  const runner = fileURLToPath(new URL('run.js', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [runner, 'run', 'no-such-test'], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [2, 'no test file has no-such-test in its path\n']);
});
