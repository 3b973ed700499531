import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { collectGarbage } from '../../../runtime/node-patches/v8-flags.js';
import { eventually } from '../../helpers/eventually.js';

test('this version of V8 knows all that it is told', async () => {
  const module = new URL('../../../runtime/node-patches/v8-flags.js', import.meta.url).href;
  const script = `import * as flags from '${module}'; flags.collectRarely(); flags.compileEarlier();`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  assert.equal(stderr, '');
});

test('buffers that nobody uses are freed when asked to', async () => {
  const buffered = () => process.memoryUsage().arrayBuffers;
  const before = buffered();
  for (let i = 0; i < 100; i += 1) Buffer.alloc(1_000_000);
  collectGarbage();
  await eventually(() => buffered() < before + 10_000_000);
});
