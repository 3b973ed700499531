import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('programs of developers answer a wrong command line in one line', () => {
  const ask = (program: string, ...args: string[]) => {
    const main = fileURLToPath(new URL(`../../${program}`, import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
    return [status, stderr];
  };
  const [status, stderr] = ask('bench/soak.js', '--request', '3000');
  assert.equal(status, 2);
  assert.match(String(stderr), /^Unknown option '--request'[^\n]*\n$/);
  for (const requests of ['1', '2000.5']) {
    const mistake = `--requests is "${requests}", want a whole number from 2000 on\n`;
    assert.deepEqual(ask('bench/soak.js', '--requests', requests), [2, mistake]);
  }
  for (const rounds of ['x', '0'])
    assert.deepEqual(ask('tests/faults/main.js', '--rounds', rounds), [
      2,
      `--rounds is "${rounds}", want a whole number from 1 on\n`,
    ]);
  const nothing = 'no input is chosen, want --from below --count, and a number with --only\n';
  for (const chosen of [
    ['--from', '20000'],
    ['--only', 'x'],
  ])
    assert.deepEqual(ask('tests/fuzz/main.js', ...chosen), [2, nothing]);
  const picture = ['--picture', 'missing.jpg'];
  assert.deepEqual(ask('tests/overload/main.js', ...picture), [
    2,
    '--picture is "missing.jpg", want a file that is there\n',
  ]);
});
