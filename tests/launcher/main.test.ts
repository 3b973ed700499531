import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isGrpcServing } from '../../launcher/is-serving.js';
import { findFreePorts } from '../../launcher/ports.js';
import { eventually } from '../helpers/eventually.js';
import { createForm } from '../helpers/net/form.js';
import { readSample } from '../helpers/pictures/samples.js';
import { createTemporaryFolder } from '../helpers/temporary-folder.js';

const launcher = fileURLToPath(new URL('../../launcher/main.js', import.meta.url));

interface Spawned {
  readonly process: ChildProcess;
  readonly rest: string;
  readonly grpc: string;
  /** All that it printed so far. */
  readonly output: () => string;
}

interface Started extends Spawned {
  /** Fields of the line `ready …`. */
  readonly ready: Readonly<Record<string, string>>;
}

type Command = readonly [file: string, ...args: string[]];

/** Runs the launcher, by itself or below another command, on free ports. */
async function spawnLauncher(
  t: TestContext,
  dataDir: string,
  [file, ...args]: Command = [process.execPath, launcher],
): Promise<Spawned> {
  const [restPort, corePort] = await findFreePorts(2);
  const env = {
    ...process.env,
    REST_PORT: String(restPort),
    CORE_PORT: String(corePort),
    CORE_DATA_DIR: dataDir,
    CORE_WORKERS: '1',
  };
  // In a process group of its own, as systemd and a terminal make one.
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [rest, grpc] = [`http://127.0.0.1:${restPort}`, `127.0.0.1:${corePort}`];
  return { process: child, rest, grpc, output: () => output };
}

/** Waits until it printed this. */
async function printed({ process: child, output }: Spawned, what: RegExp): Promise<string> {
  return await eventually(() => {
    if (child.exitCode !== null) throw new Error(`ended at its start:\n${output()}`);
    return what.exec(output())?.[0].trim();
  }, 120_000);
}

/** Starts the service, and reads its line `ready …`. */
async function start(t: TestContext, dataDir: string, command?: Command): Promise<Started> {
  const spawned = await spawnLauncher(t, dataDir, command);
  const words = (await printed(spawned, /^ready .*\n/m)).split(' ').slice(1);
  const ready = Object.fromEntries(
    words.map((word): [string, string] => {
      const [name = '', value = ''] = word.split(/=(.*)/);
      return [name, value];
    }),
  );
  assert.deepEqual([ready['rest'], ready['grpc']], [spawned.rest, spawned.grpc]);
  return { ...spawned, ready };
}

/** Runs the printed lines as they are, and looks at their answers. */
async function pasteWelcome(t: TestContext, { output }: Spawned): Promise<void> {
  const lines = output().match(/^ {2}(cd|export|curl|node) .*$/gm) ?? [];
  assert.equal(lines.length, 6);
  if (spawnSync('curl', ['--version']).error) {
    t.diagnostic('curl is missing: the printed lines were not run');
    return;
  }
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', lines.join('\necho\n')]);
  const answers = stdout.split('\n').filter((line) => line !== '');
  assert.equal(answers.length, 5);
  const [single, multi, meter] = answers.map((line): unknown =>
    line.startsWith('{') ? JSON.parse(line) : undefined,
  ) as [{ detection_score: string }, { result: unknown[] }, { value: string }];
  assert.ok(Number(single.detection_score) > 0.5);
  assert.equal(multi.result.length, 1);
  assert.match(meter.value, /^\d+\.?\d*$/);
  const overGrpc = answers.slice(3).sort();
  assert.match(overGrpc[0] ?? '', /^face 0\.\d+ \{"xmax":/);
  assert.equal(overGrpc[1]?.split(' ')[1], meter.value);
}

async function isGone({ rest, grpc }: Spawned): Promise<boolean> {
  const answer = await fetch(`${rest}/livez`).catch(() => undefined);
  return answer === undefined && !(await isGrpcServing(grpc));
}

async function detect({ rest }: Spawned, apiKey: string) {
  const body = createForm(await readSample('astronaut.jpg'));
  const init = { method: 'POST', headers: { apikey: apiKey }, body };
  return await fetch(`${rest}/face_detect_multi`, init);
}

describe('make run', () => {
  it('registers the demo once, shows it once, and stops all on SIGTERM', async (t) => {
    const dataDir = await createTemporaryFolder(t);
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
    await pasteWelcome(t, first);
    first.process.kill('SIGTERM');
    assert.deepEqual(await once(first.process, 'exit'), [0, null]);
    assert.ok(await isGone(first));

    const home = await createTemporaryFolder(t);
    const own = ['env', '-u', 'XDG_CACHE_HOME', `HOME=${home}`, `TMPDIR=${home}`, process.execPath, launcher] as const;
    const second = await start(t, dataDir, own);
    assert.deepEqual(Object.keys(second.ready), ['rest', 'grpc']);
    assert.equal((await detect(second, apikey)).status, 200);
    // Twice at once is taken for one.
    second.process.kill('SIGINT');
    second.process.kill('SIGINT');
    assert.deepEqual(await once(second.process, 'exit'), [0, null]);
    assert.ok(await isGone(second));
    // Native libraries would write there what they report of their use.
    assert.deepEqual(await readdir(home), []);
  });

  it('leaves nothing running when its make is killed outright', async (t) => {
    const below = `MAKELEVEL=1 "${process.execPath}" "${launcher}" & wait`;
    const started = await start(t, await createTemporaryFolder(t), ['sh', '-c', below]);
    started.process.kill('SIGKILL');
    await eventually(() => isGone(started));
  });

  it('stops when npm is told to', async (t) => {
    const started = await start(t, await createTemporaryFolder(t), ['npm', 'start']);
    started.process.kill('SIGTERM');
    await eventually(() => isGone(started));
  });

  it('answers what is under way when its whole process group is told to stop', async (t) => {
    const started = await start(t, await createTemporaryFolder(t));
    const { pid = 0 } = started.process;
    const form = new Response(createForm(await readSample('astronaut.jpg')));
    const upload = request(`${started.rest}/face_detect_multi`, {
      method: 'POST',
      headers: {
        apikey: started.ready['apikey'],
        'content-type': form.headers.get('content-type') ?? '',
        expect: '100-continue',
      },
    });
    upload.flushHeaders();
    // Its body is asked for: the call is under way.
    await once(upload, 'continue');
    process.kill(-pid, 'SIGTERM');
    await printed(started, /"service":"facade".*"stopping"/);
    process.kill(-pid, 'SIGTERM');
    upload.end(Buffer.from(await form.arrayBuffer()));
    const [answer] = (await once(upload, 'response')) as [IncomingMessage];
    answer.resume();
    assert.equal(answer.statusCode, 200);
    assert.deepEqual(await once(started.process, 'exit'), [0, null]);
    const stopped = started.output().match(/"service":"[a-z]+","msg":"stopped"/g);
    assert.deepEqual(stopped, ['"service":"facade","msg":"stopped"', '"service":"core","msg":"stopped"']);
  });

  it('goes on, and stops well, where nobody reads its output any more', async (t) => {
    const started = await start(t, await createTemporaryFolder(t));
    started.process.stdout?.destroy();
    started.process.stderr?.destroy();
    const { apikey = '' } = started.ready;
    for (let i = 0; i < 2; i += 1) assert.equal((await detect(started, apikey)).status, 200);
    started.process.kill('SIGTERM');
    assert.deepEqual(await once(started.process, 'exit'), [0, null]);
  });

  it('goes on, and stops well, where its pipe is full and nobody reads it', { timeout: 60_000 }, async (t) => {
    const folder = await createTemporaryFolder(t);
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const full = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    t.after(() => full.close());
    await full.write(Buffer.alloc(2 ** 20));
    // Longer than the test: none ends by being killed.
    const below = 'export CORE_SHUTDOWN_GRACE_MS=600000 REST_SHUTDOWN_GRACE_MS=600000; exec "$0" "$1" 2> "$2"';
    const started = await start(t, folder, ['sh', '-c', below, process.execPath, launcher, pipe]);
    assert.equal((await detect(started, started.ready['apikey'] ?? '')).status, 200);
    started.process.kill('SIGTERM');
    assert.deepEqual(await once(started.process, 'exit'), [0, null]);
  });

  it('stops when told to while it starts', async (t) => {
    const spawned = await spawnLauncher(t, await createTemporaryFolder(t));
    // The facade is up first; the core loads its models.
    await printed(spawned, /"service":"facade".*serving/);
    spawned.process.kill('SIGTERM');
    assert.deepEqual(await once(spawned.process, 'exit'), [0, null]);
    assert.ok(await isGone(spawned));
  });

  it('prints the mistakes of the configuration and ends with 2', async () => {
    const env = { ...process.env, CORE_PORT: 'x', REST_PORT: 'y' };
    const child = spawn(process.execPath, [launcher], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    assert.deepEqual(await once(child, 'close'), [2, null]);
    assert.match(errors, /CORE_PORT[^]*REST_PORT/);
  });
});
