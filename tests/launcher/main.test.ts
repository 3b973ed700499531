import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isGrpcServing } from '../../launcher/is-serving.js';
import { findFreePorts } from '../../launcher/ports.js';
import { readSample } from '../helpers/samples.js';
import { eventually } from './stand-ins.js';

const launcher = fileURLToPath(new URL('../../launcher/main.js', import.meta.url));

interface Started {
  readonly process: ChildProcess;
  /** Fields of the line `ready …`. */
  readonly ready: Readonly<Record<string, string>>;
  /** All that it printed so far. */
  output(): string;
}

/** Starts the real service as `make run` does, on free ports. */
async function start(t: TestContext, dataDir: string): Promise<Started> {
  const [restPort, corePort] = await findFreePorts(2);
  const env = {
    ...process.env,
    REST_PORT: String(restPort),
    CORE_PORT: String(corePort),
    CORE_DATA_DIR: dataDir,
    CORE_WORKERS: '1',
  };
  const child = spawn(process.execPath, [launcher], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const line = await eventually(() => {
    if (child.exitCode !== null) throw new Error(`ended at its start:\n${output}`);
    return /^ready .*\n/m.exec(output)?.[0].trim();
  }, 120_000);
  const words = line.split(' ').slice(1);
  const ready = Object.fromEntries(
    words.map((word): [string, string] => {
      const [name = '', value = ''] = word.split(/=(.*)/);
      return [name, value];
    }),
  );
  assert.equal(ready['rest'], `http://127.0.0.1:${restPort}`);
  assert.equal(ready['grpc'], `127.0.0.1:${corePort}`);
  return { process: child, ready, output: () => output };
}

async function detect({ ready }: Started, apiKey: string) {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(await readSample('astronaut.jpg'))]));
  const init = { method: 'POST', headers: { apikey: apiKey }, body: form };
  return await fetch(`${ready['rest']}/face_detect_multi`, init);
}

async function makeDataDir(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'launcher-data-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

describe('make run', () => {
  it('should register the demo once, show it once, and stop all on SIGTERM', async (t) => {
    const dataDir = await makeDataDir(t);
    const first = await start(t, dataDir);
    const { apikey = '', company, password = '' } = first.ready;
    assert.equal(company, 'demo');

    const response = await detect(first, apikey);
    assert.equal(response.status, 200);
    assert.equal(((await response.json()) as { result: unknown[] }).result.length, 1);
    for (const secret of [apikey, password]) assert.equal(first.output().split(secret).length, 2);
    for (const file of await readdir(dataDir)) {
      const bytes = await readFile(path.join(dataDir, file));
      for (const secret of [apikey, password]) assert.ok(!bytes.includes(secret), file);
    }
    first.process.kill('SIGTERM');
    assert.deepEqual(await once(first.process, 'exit'), [0, null]);
    assert.equal(await isGrpcServing(String(first.ready['grpc'])), false);

    const second = await start(t, dataDir);
    assert.deepEqual(Object.keys(second.ready), ['rest', 'grpc']);
    assert.equal((await detect(second, apikey)).status, 200);
    second.process.kill('SIGINT');
    assert.deepEqual(await once(second.process, 'exit'), [0, null]);
  });

  it('should leave nothing running when it is killed outright', async (t) => {
    const started = await start(t, await makeDataDir(t));
    started.process.kill('SIGKILL');
    await eventually(async () => {
      const rest = await fetch(`${started.ready['rest']}/livez`).catch(() => undefined);
      return rest === undefined && !(await isGrpcServing(String(started.ready['grpc'])));
    });
  });

  it('should print the mistakes of the configuration and end with 1', async () => {
    const env = { ...process.env, CORE_PORT: 'x', REST_PORT: 'y' };
    const child = spawn(process.execPath, [launcher], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    assert.deepEqual(await once(child, 'close'), [1, null]);
    assert.match(errors, /CORE_PORT[^]*REST_PORT/);
  });
});
