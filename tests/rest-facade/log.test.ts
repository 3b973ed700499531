import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog as createCoreLog } from '../../core-server/observe/log.js';
import { createLog } from '../../rest-facade/log.js';

test('both processes write lines of one shape', () => {
  const lines: Record<string, unknown>[] = [];
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  };
  const options = { level: 'info', destination };
  for (const log of [createLog(options), createCoreLog({ ...options, service: 'core' })]) {
    log.debug('not logged');
    log.child({ request_id: 'a' }).warn({ status: 503 }, 'request');
  }
  for (const line of lines) {
    assert.match(String(line['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    delete line['time'];
  }
  const same = { level: 'warn', request_id: 'a', status: 503, msg: 'request' };
  assert.deepEqual(lines, [
    { ...same, service: 'rest-facade' },
    { ...same, service: 'core' },
  ]);
});
