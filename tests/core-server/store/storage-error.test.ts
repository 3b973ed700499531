import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTemporary } from '../../../core-server/store/storage-error.js';

const withCode = (code: string): Error => Object.assign(new Error('failed'), { code });

test('what may pass by itself is told from what may not', () => {
  const temporary = [
    new Error('Connection terminated unexpectedly'),
    new Error('select * from "api_keys" where "id" = $1 - Connection terminated unexpectedly'),
    new Error('update "scores" set "score" = $1 - Client was closed and is not queryable'),
    new Error('timeout exceeded when trying to connect'),
    withCode('ECONNREFUSED'),
    withCode('08006'),
    withCode('08P01'),
    withCode('53300'),
    withCode('55P03'),
    withCode('57P05'),
    withCode('55000'),
    Object.assign(withCode('ENOENT'), { syscall: 'connect' }),
    withCode('SQLITE_BUSY'),
    new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]),
  ];
  for (const error of temporary) assert.ok(isTemporary(error), error.message);
  const lasting = [
    new Error('select * from "Connection terminated" where "id" = $1 - no such table'),
    withCode('42P01'),
    Object.assign(withCode('ENOENT'), { syscall: 'open' }),
    'Connection terminated',
  ];
  for (const error of lasting) assert.ok(!isTemporary(error), String(error));
});
