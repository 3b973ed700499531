import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '../../../runtime/errors/config-error.js';
import { isTraced, noTracing } from '../../../runtime/observe/tracing.js';
import { runService, type ServiceProcess } from '../../../runtime/process/run-service.js';
import { deferred } from '../../helpers/deferred.js';
import { eventually } from '../../helpers/eventually.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

const graceMs = 1_000;

/** Runs a service in a process that the test plays. */
function run(
  start: ServiceProcess<unknown>['start'],
  env: NodeJS.ProcessEnv = {},
  channel: object = { connected: false },
  own: Partial<ServiceProcess<unknown>> = {},
) {
  const host = Object.assign(new EventEmitter(), {
    env,
    exitCode: undefined as number | undefined,
    stdout: process.stdout,
    ...channel,
  });
  const ran = runService(host as unknown as NodeJS.Process, {
    name: 'core',
    readConfig: () => ({}),
    findUnknown: () => [],
    logLevelOf: () => 'silent',
    graceMsOf: () => graceMs,
    start,
    ...own,
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

test('a service tells its launcher once it serves, and nobody where there is none', async () => {
  const start = () => Promise.resolve({ listens: {}, tells: { isStoreNew: true }, close: () => Promise.resolve() });
  for (const connected of [true, false]) {
    const told: unknown[] = [];
    const { ran } = run(start, {}, { connected, send: (message: unknown) => told.push(message) });
    await ran;
    assert.deepEqual(told, connected ? [{ type: 'serving', isStoreNew: true }] : []);
  }
});

test('a service that serves gives back memory twice a minute, and tells each second that its thread goes on', async (t) => {
  const { mock: repeated } = t.mock.method(globalThis, 'setInterval');
  const { ran } = run(() => Promise.resolve({ listens: {}, close: () => Promise.resolve() }));
  await ran;
  assert.deepEqual(
    repeated.calls.map(({ arguments: [, everyMs] }) => everyMs),
    [30_000, 1_000],
  );
});

test('a service below a launcher leaves signals to it, and stops at its word or its end', async (t) => {
  for (const [event, value] of [['message', { type: 'stop' }], ['disconnect']] as const) {
    const close = t.mock.fn(() => Promise.resolve());
    const start = () => Promise.resolve({ listens: {}, close });
    const { host, ran } = run(start, {}, { connected: true, send: () => true });
    await ran;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) assert.equal(host.emit(signal, signal), false);
    for (const other of [null, { type: 'other' }]) host.emit('message', other);
    assert.equal(close.mock.callCount(), 0);
    host.emit(event, value);
    assert.equal(close.mock.callCount(), 1);
  }
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

test('a service that does not end after its grace is killed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const kill = t.mock.fn<(pid: number, signal: string) => void>();
  const start = () => Promise.resolve({ listens: {}, close: () => new Promise<void>(() => {}) });
  const { host, ran } = run(start, {}, { connected: false, pid: 7, kill });
  await ran;
  t.mock.timers.tick(60_000);
  host.emit('SIGTERM', 'SIGTERM');
  t.mock.timers.tick(graceMs);
  assert.equal(kill.mock.callCount(), 0);
  t.mock.timers.tick(60_000);
  assert.deepEqual(
    kill.mock.calls.map((call) => call.arguments),
    [[7, 'SIGKILL']],
  );
});

test('the log has what is no setting, what nobody caught, which ends the process, and one stop of three', async (t) => {
  const name = path.join(await createTemporaryFolder(t), 'log');
  const stdout = await open(name, 'w');
  t.after(() => stdout.close());
  const exit = t.mock.fn<(code: number) => void>();
  const closed = deferred();
  const start = () => Promise.resolve({ listens: {}, close: () => closed.promise });
  const log = { logLevelOf: () => 'info', findUnknown: () => ['CORE_PROT'] };
  const { host, ran } = run(start, {}, { connected: false, stdout, exit }, log);
  await ran;
  host.emit('unhandledRejection', new Error('nobody caught it'));
  assert.deepEqual(exit.mock.calls[0]?.arguments, [1]);
  for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM']) assert.ok(host.emit(signal, signal));
  closed.resolve();
  await eventually(async () => (await readFile(name, 'utf8')).includes('"stopped"'));
  const lines = (await readFile(name, 'utf8')).trimEnd().split('\n');
  const [unknown, ...told] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual([unknown?.['level'], unknown?.['variables']], ['warn', ['CORE_PROT']]);
  assert.deepEqual(
    told.map(({ level, msg }) => `${String(level)} ${String(msg)}`),
    ['info serving', 'fatal unhandled rejection', 'info stopping', 'info stopped'],
  );
});

test('a service that asks for a fresh process closes and has failed', async () => {
  const closed = deferred();
  let giveUp: (reason: string) => void = assert.fail;
  const { host, ran } = run((_config, { fail }) => {
    giveUp = fail;
    return Promise.resolve({ listens: {}, close: () => Promise.resolve(closed.resolve()) });
  });
  await ran;
  giveUp('it hangs');
  await closed.promise;
  assert.equal(host.exitCode, 1);
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

test('a mistake in the settings, whoever finds it, is told on standard error', async () => {
  const mistake = () => {
    throw new ConfigError('REST_TLS_KEY is "a.key": want its key');
  };
  const start = () => Promise.reject(new Error('not asked'));
  for (const found of [{ readConfig: mistake }, { start: mistake }]) {
    const told: string[] = [];
    const stderr = { write: (text: string) => told.push(text) };
    const { host, ran } = run(start, {}, { connected: false, stderr }, found);
    await ran;
    assert.deepEqual([host.exitCode, told], [2, ['REST_TLS_KEY is "a.key": want its key\n']]);
  }
});

test('a service is traced where the standard variables name a collector and do not switch traces off', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  const table: [env: NodeJS.ProcessEnv, shouldTrace: boolean][] = [
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
    [endpoint, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }, true],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'True' }, false],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'false' }, true],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'otlp' }, true],
  ];
  for (const [env, shouldTrace] of table) {
    const { host, ran } = run(async (_config, { tracing }) => {
      assert.equal(tracing !== noTracing, shouldTrace, JSON.stringify(env));
      await tracing.close();
      return { listens: {}, close: () => Promise.resolve() };
    }, env);
    await ran;
    assert.equal(host.exitCode, undefined, JSON.stringify(env));
  }
});

test('a collector or a batch that would hang or silently lose spans is a mistake in the settings', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  const aCount = 'want a whole number from 1 to 1000000';
  const table: [env: NodeJS.ProcessEnv, message: string | undefined][] = [
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'user:password@collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT is set: want an address such as http://collector:4318',
    ],
    [
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://' },
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set: want an address such as http://collector:4318',
    ],
    [{ ...endpoint, OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '0' }, `OTEL_BSP_MAX_EXPORT_BATCH_SIZE is "0": ${aCount}`],
    [{ ...endpoint, OTEL_BSP_MAX_QUEUE_SIZE: '-1' }, `OTEL_BSP_MAX_QUEUE_SIZE is "-1": ${aCount}`],
    [{ ...endpoint, OTEL_BSP_MAX_QUEUE_SIZE: '1', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '' }, undefined],
    [{ OTEL_BSP_MAX_QUEUE_SIZE: '0' }, undefined],
  ];
  for (const [env, message] of table) {
    if (message === undefined) isTraced(env);
    else assert.throws(() => isTraced(env), { name: 'ConfigError', message });
  }
});
