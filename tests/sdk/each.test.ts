import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

test('the clients are asked for no action and no language that there is not', () => {
  const ask = (...args: string[]) => {
    const { status, stderr } = spawnSync('sdk/each.sh', args, { encoding: 'utf8' });
    return [status, stderr];
  };
  assert.deepEqual(ask(), [2, 'want generate or test, not ""\n']);
  assert.deepEqual(ask('tests', 'go'), [2, 'want generate or test, not "tests"\n']);
  const languages = 'typescript python go java rust csharp';
  assert.deepEqual(ask('test', 'v'), [2, `v is no language here, want one of: ${languages}\n`]);
});
