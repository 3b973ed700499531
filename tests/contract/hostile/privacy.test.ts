import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { createForm } from '../../helpers/net/form.js';
import { readSample } from '../../helpers/pictures/samples.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

// Everything that the service writes, at its most talkative, is searched for what it was given in
// confidence: pictures, their names and metadata, keys and passwords.

const launcher = fileURLToPath(new URL('../../../launcher/main.js', import.meta.url));

test('no picture, key or password is in any file or log', async (t) => {
  const folder = await createTemporaryFolder(t);
  const temporary = path.join(folder, 'tmp');
  await mkdir(temporary);

  const child = spawn(process.execPath, [launcher], {
    cwd: fileURLToPath(new URL('../../../../', import.meta.url)),
    env: {
      ...process.env,
      REST_PORT: '0',
      CORE_PORT: '0',
      CORE_WORKERS: '1',
      CORE_DATA_DIR: path.join(folder, 'data'),
      TMPDIR: temporary,
      CORE_LOG_LEVEL: 'trace',
      REST_LOG_LEVEL: 'trace',
    },
  });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  const ready = new Promise<Record<string, string>>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const line = /^ready (.*)\n/m.exec(output);
      if (line === null) return;
      // The one place where the key and the password are shown.
      output = output.replace(line[0], '');
      const words = (line[1] ?? '').split(' ').map((word): [string, string] => {
        const [field = '', value = ''] = word.split(/=(.*)/);
        return [field, value];
      });
      resolve(Object.fromEntries(words));
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(output)));
  });
  const { rest = '', apikey = '', password = '' } = await ready;

  const secret = randomUUID();
  const wrong = `wrong-${randomUUID()}`;
  const wrongKey = `ia_${randomUUID()}`;
  const name = `${randomUUID()}.jpg`;
  const picture = await sharp(await readSample('astronaut.jpg'))
    .withExif({ IFD0: { ImageDescription: secret } })
    .jpeg()
    .toBuffer();
  const statuses: number[] = [];
  const ask = async (address: string, body?: FormData | string, key = apikey): Promise<void> => {
    const headers = { apikey: key };
    const answer = await fetch(rest + address, body === undefined ? { headers } : { method: 'POST', headers, body });
    await answer.arrayBuffer();
    statuses.push(answer.status);
  };
  const form = (bytes: Buffer, fields?: Record<string, string>): FormData => createForm(bytes, fields, name);
  const base64 = picture.toString('base64');
  const score = '/face_config_score?company=demo&detection=0.5&password=';
  await ask('/face_detect_single', form(picture));
  await ask('/face_detect_multi', form(picture.subarray(0, picture.length / 2)));
  await ask('/face_detect_single', form(picture, { min_score: secret }));
  await ask('/meter-number-ocr/file', form(picture));
  await ask('/meter-number-ocr/base64', JSON.stringify({ image: `data:image/jpeg;base64,${base64}` }));
  await ask('/meter-number-ocr/base64', `{"image":"data:image/jpeg;base64,${base64}`);
  await ask('/face_detect_single', form(picture), wrongKey);
  await ask(score + password);
  await ask(score + wrong);
  // A slip of the hand makes them part of the path.
  await ask(`/face_config_score&company=demo&detection&password=${password}`);
  await ask(`/${apikey}/face_config_score`);
  assert.deepEqual(statuses, [200, 400, 400, 422, 422, 400, 401, 200, 401, 404, 404]);

  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  assert.match(output, /face_detect_single/, 'the log was read');

  const written = new Map([['the log', Buffer.from(output)]]);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    written.set(path.relative(folder, file), await readFile(file));
  }
  assert.ok(written.has(path.join('data', 'image-analysis.sqlite3')));
  assert.ok(![...written.keys()].some((file) => file.startsWith('tmp')), [...written.keys()].join());

  const middle = Math.floor(picture.length / 2);
  const confidential: Record<string, string | Buffer> = {
    'metadata of the picture': secret,
    'name of the file': name,
    'bytes of the picture': picture.subarray(middle, middle + 32),
    'base64 of the picture': base64.slice(1_200, 1_240),
    'the password': password,
    'a wrong password': wrong,
    'the key': apikey,
    'a wrong key': wrongKey,
  };
  for (const [file, bytes] of written) {
    for (const [what, text] of Object.entries(confidential)) assert.ok(!bytes.includes(text), `${what} is in ${file}`);
  }
});
