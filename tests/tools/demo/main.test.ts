import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { Analysis } from '../../../tools/demo/analysis.js';
import { startService } from '../../helpers/service/service.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

const demo = fileURLToPath(new URL('../../../tools/demo/main.js', import.meta.url));

/** @param hears whether anybody reads what it prints */
async function run(args: string[], env: NodeJS.ProcessEnv = {}, hears = true) {
  return await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { ...process.env, CORE_WORKERS: '1', ...env } };
    const child = execFile(process.execPath, [demo, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
    if (!hears) child.stdout?.destroy();
  });
}

/** As a user has them whose own service runs: their ports are taken, their TLS is not for here. */
const settingsOfAnother = {
  CORE_METRICS_HOST: 'nowhere.invalid',
  CORE_METRICS_PORT: '9464',
  REST_METRICS_HOST: 'nowhere.invalid',
  REST_METRICS_PORT: '9465',
  REST_ADMIN_PORT: '8081',
  CORE_TLS_CERT: 'core.crt',
  CORE_TLS_KEY: 'core.key',
  CORE_TLS_CLIENT_CA: 'clients.crt',
  REST_TLS_CERT: 'rest.crt',
  REST_TLS_KEY: 'rest.key',
  REST_CORE_TLS_CA: 'core-ca.crt',
  REST_CORE_TLS_CERT: 'facade.crt',
  REST_CORE_TLS_KEY: 'facade.key',
  REST_CORE_TLS_NAME: 'core.internal',
};

async function readAnalysis(file: string): Promise<Analysis> {
  return JSON.parse(await readFile(file, 'utf8')) as Analysis;
}

describe('make demo', () => {
  it('annotates the samples with a service of its own, and leaves nothing of it', async (t) => {
    const out = await createTemporaryFolder(t);
    // Native libraries would leave their files there too.
    const [temporary, home] = await Promise.all([createTemporaryFolder(t), createTemporaryFolder(t)]);
    const { code, stdout, stderr } = await run(['--out', out], {
      TMPDIR: temporary,
      HOME: home,
      XDG_CACHE_HOME: undefined,
      ...settingsOfAnother,
    });
    assert.equal(stderr, '');
    assert.equal(code, 0);
    const [astronaut = '', meter = '', ...more] = stdout.trimEnd().split('\n');
    assert.match(astronaut, /^samples\/astronaut\.jpg: 1 face \(0\.\d+\); no meter; wrote /);
    assert.match(meter, /^samples\/meter\.jpg: no face; meter \S+ m3 \((ok|check), [\d.]+%\); wrote /);
    assert.deepEqual(more, []);

    assert.deepEqual((await readdir(out)).sort(), ['astronaut.jpg', 'astronaut.json', 'meter.jpg', 'meter.json']);
    assert.equal((await sharp(path.join(out, 'astronaut.jpg')).metadata()).width, 800);
    const { faces } = await readAnalysis(path.join(out, 'astronaut.json'));
    assert.ok('result' in faces && faces.result.length === 1);
    assert.deepEqual([await readdir(temporary), await readdir(home)], [[], []]);
  });

  it('uses a running service, and goes on after a picture that is refused', async (t) => {
    const [{ rest, apiKey }, photos, out] = await Promise.all([
      startService(t),
      createTemporaryFolder(t),
      createTemporaryFolder(t),
    ]);
    const text = path.join(photos, 'text.jpg');
    await writeFile(text, 'no picture');
    const args = ['--rest', rest, '--out', out, text, 'samples/astronaut.jpg'];
    const { code, stdout } = await run(args, { APIKEY: apiKey });
    assert.equal(code, 1);
    const [first = '', second = ''] = stdout.split('\n');
    assert.match(first, /text\.jpg: refused: file is of an unknown type, want .*; wrote .*text\.json$/);
    assert.match(second, /1 face/);
  });

  it('leaves its inputs as they are', async (t) => {
    const photos = await createTemporaryFolder(t);
    const photo = path.join(photos, 'a.jpg');
    await writeFile(photo, 'a picture');
    const { code, stderr } = await run(['--out', photos, photo]);
    assert.equal(code, 2);
    assert.match(stderr, /^demo: --out is ".*", where a\.jpg would be replaced, want another folder/);
    assert.equal(await readFile(photo, 'utf8'), 'a picture');
  });

  it('prints no control characters of a name', async (t) => {
    const out = await createTemporaryFolder(t);
    const { stderr } = await run(['--out', out, '\u001b]0;title\u0007.jpg']);
    assert.equal(stderr, 'demo: ?]0;title?.jpg: there is no such file\n');
  });

  it('says what is missing', async (t) => {
    const out = await createTemporaryFolder(t);
    const rest = ['--out', out, '--rest', 'http://127.0.0.1:1'];
    assert.match((await run(rest, { APIKEY: '' })).stderr, /^demo: APIKEY is not set/);
    const unreached =
      'demo: http://127.0.0.1:1/face_detect_multi cannot be reached. --rest or REST_PORT names another address.\n';
    assert.equal((await run(rest, { APIKEY: 'ia_1' })).stderr, unreached);
    const set = { APIKEY: 'ia_1', REST_PORT: '1' };
    assert.equal((await run(['--out', out], set)).stderr, unreached);
    const { code, stderr } = await run(['--out', out, 'missing.jpg', 'samples', '/dev/zero', 'samples/meter.jpg'], set);
    const [missing, folder, device] = stderr.split('\n');
    assert.deepEqual([code, missing], [1, 'demo: missing.jpg: there is no such file']);
    assert.equal(folder, 'demo: samples: it is a folder, which npm run analyze takes');
    assert.equal(device, 'demo: /dev/zero: it is no file');
  });

  it('leaves nothing when nobody reads what it prints', async (t) => {
    const [out, temporary, home] = await Promise.all([
      createTemporaryFolder(t),
      createTemporaryFolder(t),
      createTemporaryFolder(t),
    ]);
    const env = { TMPDIR: temporary, HOME: home, XDG_CACHE_HOME: undefined };
    const { code, stderr } = await run(['--out', out], env, false);
    assert.deepEqual([code, stderr], [1, 'demo: write EPIPE\n']);
    assert.deepEqual(await readdir(temporary), []);
  });
});
