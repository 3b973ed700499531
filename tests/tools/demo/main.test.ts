import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { Analysis } from '../../../tools/demo/analysis.js';
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
    assert.match(meter, /^samples\/meter\.jpg: no faces; meter \S+ m3 \((ok|check), [\d.]+%\); wrote /);
    assert.deepEqual(more, []);

    assert.deepEqual((await readdir(out)).sort(), ['astronaut.jpg', 'astronaut.json', 'meter.jpg', 'meter.json']);
    assert.equal((await sharp(path.join(out, 'astronaut.jpg')).metadata()).width, 800);
    const { faces } = await readAnalysis(path.join(out, 'astronaut.json'));
    assert.ok('result' in faces && faces.result.length === 1);
    assert.deepEqual([await readdir(temporary), await readdir(home)], [[], []]);
  });

  it('goes on after a picture that is refused, and numbers files of the same name', async (t) => {
    const [photos, out] = await Promise.all([createTemporaryFolder(t), createTemporaryFolder(t)]);
    const text = path.join(photos, 'astronaut.txt');
    await writeFile(text, 'no picture');
    const { code, stdout } = await run(['--out', out, text, 'samples/astronaut.jpg']);
    assert.equal(code, 1);
    const [first = '', second = ''] = stdout.split('\n');
    assert.match(first, /astronaut\.txt: refused: file is of an unknown type, want .*; wrote .*astronaut\.json$/);
    assert.match(second, /1 face .*; wrote .*astronaut-2\.jpg and \.json$/);
  });

  it('leaves its inputs as they are, whatever path leads to them', async (t) => {
    const [photos, elsewhere] = await Promise.all([createTemporaryFolder(t), createTemporaryFolder(t)]);
    const photo = path.join(photos, 'a.jpg');
    const linked = path.join(elsewhere, 'linked');
    await writeFile(photo, 'a picture');
    await symlink(photos, linked);
    for (const out of [photos, linked]) {
      const { code, stderr } = await run(['--out', out, photo]);
      assert.equal(code, 2);
      assert.equal(stderr, `demo: --out is "${out}", where "${photo}" is, want another folder\n`);
    }
    assert.equal(await readFile(photo, 'utf8'), 'a picture');
  });

  it('prints no control characters of a name', async (t) => {
    const out = await createTemporaryFolder(t);
    const { code, stderr } = await run(['--out', out, '\u001b]0;title\u0007.jpg']);
    assert.equal(code, 1);
    assert.match(stderr, /^demo: ENOENT: no such file or directory, access '\?\]0;title\?\.jpg'\n$/);
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
