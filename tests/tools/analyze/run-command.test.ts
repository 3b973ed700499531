import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const url = JSON.stringify(new URL('../../../tools/analyze/run-command.js', import.meta.url));

test('what was begun is ended properly when nobody reads its messages any more', { timeout: 20_000 }, async () => {
  const script = `
    import { once } from 'node:events';
    import { runCommand, warn } from ${url};
    await runCommand(async (signal) => {
      const going = setInterval(() => warn('going on'), 10);
      await once(signal, 'abort');
      clearInterval(going);
      process.stdout.write('ended');
      signal.throwIfAborted();
    });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.destroy();
  const said = text(child.stdout);
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.deepEqual([await said, code], ['ended', 1]);
});
