import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../runtime/observe/log.js';

test('a line is JSON with its time, level by name, process and fields', () => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const log = createLog({ level: 'info', service: 'core', destination });
  log.debug('not logged');
  log.child({ request_id: 'a' }).warn({ status: 503 }, 'request');
  const [{ time, ...line } = {}] = lines;
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(line, { level: 'warn', service: 'core', request_id: 'a', status: 503, msg: 'request' });
  assert.equal(lines.length, 1);
});

test('an error is told with its cause, whose message is not repeated', () => {
  const lines: { err: { message: string; cause: { message: string } } }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as never) };
  const cause = new Error('the disk is full');
  createLog({ level: 'info', service: 'core', destination }).error({
    err: new Error(`cannot write: ${cause.message}`, { cause }),
  });
  assert.equal(lines[0]?.err.message, 'cannot write: the disk is full');
  assert.equal(lines[0]?.err.cause.message, 'the disk is full');
});
