import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

test('this version of V8 knows all that it is told', async () => {
  const module = new URL('../../../runtime/node-patches/v8-flags.js', import.meta.url).href;
  const script = `import * as flags from '${module}'; flags.collectRarely(); flags.compileEarlier();`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  assert.equal(stderr, '');
});
