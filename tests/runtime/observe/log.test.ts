import assert from 'node:assert/strict';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Logger } from 'pino';
import { createLog } from '../../../runtime/observe/log.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

/** The lines of what is logged. */
async function linesOf(t: TestContext, write: (log: Logger) => void): Promise<Record<string, unknown>[]> {
  const name = path.join(await createTemporaryFolder(t), 'log');
  const file = await open(name, 'w');
  t.after(() => file.close());
  write(createLog({ level: 'info', service: 'core', fd: file.fd }));
  const lines = (await readFile(name, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a line is JSON with its time, level by name, process and fields', async (t) => {
  const [{ time, ...line } = {}, ...others] = await linesOf(t, (log) => {
    log.debug('not logged');
    log.child({ request_id: 'a' }).warn({ status: 503 }, 'request');
  });
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(line, { level: 'warn', service: 'core', request_id: 'a', status: 503, msg: 'request' });
  assert.deepEqual(others, []);
});

test('an error is told with its cause, whose message is not repeated', async (t) => {
  const cause = new Error('the disk is full');
  const [line] = await linesOf(t, (log) => log.error({ err: new Error(`cannot write: ${cause.message}`, { cause }) }));
  const { message, cause: told } = line?.['err'] as { message: string; cause: { message: string } };
  assert.deepEqual([message, told.message], ['cannot write: the disk is full', 'the disk is full']);
});
