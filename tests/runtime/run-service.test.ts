import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { runService, type Service } from '../../runtime/run-service.js';
import { deferred } from '../helpers/deferred.js';

/** Runs a service in a process that the test plays. */
function run(start: Service<unknown>['start']) {
  const host = Object.assign(new EventEmitter(), {
    env: {},
    connected: false,
    exitCode: undefined as number | undefined,
  });
  const ran = runService(host as unknown as NodeJS.Process, {
    name: 'core',
    readConfig: () => ({}),
    logLevelOf: () => 'silent',
    start,
  });
  return { host, ran };
}

test('a service that is told to stop while it starts closes as soon as it serves', async () => {
  const serving = deferred();
  const closed = deferred();
  const { host, ran } = run(async () => {
    await serving.promise;
    return { listens: {}, close: () => Promise.resolve(closed.resolve()) };
  });
  host.emit('SIGTERM', 'SIGTERM');
  serving.resolve();
  await ran;
  await closed.promise;
  assert.equal(host.exitCode, undefined);
});

test('a service that gives up its start because it is to stop has not failed', async () => {
  const { host, ran } = run(
    (_config, { stopping }) =>
      new Promise((_, reject) => {
        stopping.addEventListener('abort', () => reject(stopping.reason as Error));
      }),
  );
  host.emit('SIGTERM', 'SIGTERM');
  await ran;
  assert.equal(host.exitCode, undefined);
});

test('a service that fails while it is told to stop has failed', async () => {
  const { host, ran } = run(async () => {
    await Promise.resolve();
    throw new Error('the model is damaged');
  });
  host.emit('SIGTERM', 'SIGTERM');
  await ran;
  assert.equal(host.exitCode, 1);
});
