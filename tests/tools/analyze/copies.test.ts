import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import {
  assertApart,
  copyOf,
  hasRedacted,
  writeAnnotated,
  writeMissing,
  writeRedacted,
} from '../../../tools/analyze/copies.js';
import type { Line } from '../../../tools/analyze/features.js';
import { readSample } from '../../helpers/pictures/samples.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

test('a picture that cannot be drawn on costs a warning, not the other copies', async (t) => {
  const folder = await createTemporaryFolder(t);
  const [broken, whole] = [path.join(folder, 'broken.jpg'), path.join(folder, 'whole.jpg')];
  await writeFile(broken, 'no picture');
  await writeFile(whole, await readSample('astronaut.jpg'));
  async function* lines(): AsyncGenerator<Line> {
    for (const file of [broken, whole]) yield await Promise.resolve({ file, feature: 'faces', result: [] });
  }
  const copies = path.join(folder, 'copies');
  const warnings: string[] = [];
  const { signal } = new AbortController();
  const place = { option: 'annotate' as const, folder: copies, wanted: [folder] };
  await writeMissing(lines(), place, (message) => warnings.push(message), signal);
  assert.equal(warnings.length, 1);
  assert.ok(warnings[0]?.startsWith(`${broken} has no annotated copy: `), warnings[0]);
  const copy = copyOf(whole, place) ?? '';
  assert.equal((await sharp(await readFile(copy)).metadata()).format, 'jpeg');

  // One that is there is not missing.
  await writeFile(copy, 'of before');
  await writeMissing(lines(), place, () => undefined, signal);
  assert.equal(await readFile(copy, 'utf8'), 'of before');
});

test('a copy that cannot be written costs a warning, or ends the run where it is the result', async (t) => {
  const folder = await createTemporaryFolder(t);
  const [long, whole] = [path.join(folder, `${'x'.repeat(248)}.jpg`), path.join(folder, 'whole.jpg')];
  for (const file of [long, whole]) await writeFile(file, await readSample('astronaut.jpg'));
  const copies = { option: 'annotate' as const, folder: path.join(folder, 'copies'), wanted: [folder] };
  const warnings: string[] = [];
  for (const file of [long, whole])
    await writeAnnotated({ file, feature: 'faces', result: [] }, copies, (message) => warnings.push(message));
  assert.equal(warnings.length, 1);
  assert.ok(warnings[0]?.startsWith(`${long} has no annotated copy: ENAMETOOLONG`), warnings[0]);

  const redacted = { image: await readSample('astronaut.jpg'), contentType: 'image/webp' };
  const place = { ...copies, option: 'redact' as const };
  await assert.rejects(writeRedacted(long, redacted, place), { code: 'ENAMETOOLONG' });
  await writeRedacted(whole, redacted, place);
  assert.deepEqual([hasRedacted(whole, place), hasRedacted(long, place)], [true, false]);
  const names = await readdir(path.dirname(copyOf(whole, copies) ?? ''));
  assert.deepEqual(names.sort(), ['whole.jpg.jpg', 'whole.jpg.webp']);
});

test('making copies can be stopped', async (t) => {
  const folder = await createTemporaryFolder(t);
  const photo = path.join(folder, 'photo.jpg');
  await writeFile(photo, await readSample('astronaut.jpg'));
  const stop = new AbortController();
  const stopped = new Error('stopped');
  async function* lines(): AsyncGenerator<Line> {
    yield await Promise.resolve({ file: path.join(folder, 'gone.jpg'), feature: 'faces' });
    stop.abort(stopped);
    yield { file: photo, feature: 'faces', result: [] };
  }
  const copies = path.join(folder, 'copies');
  const missing = writeMissing(
    lines(),
    { option: 'annotate' as const, folder: copies, wanted: [folder] },
    assert.fail,
    stop.signal,
  );
  await assert.rejects(missing, stopped);
  assert.deepEqual(await readdir(folder), ['photo.jpg']);
});

test('a copy has the path of its picture from here, or from the nearest folder that holds all', () => {
  const here = path.basename(path.resolve());
  for (const [file, wanted, copy] of [
    ['p/a.jpg', ['p'], 'out/p/a.jpg.jpg'],
    [path.resolve('p/a.jpg'), [path.resolve('p')], 'out/p/a.jpg.jpg'],
    ['../photos/a.jpg', ['../photos/a.jpg'], 'out/photos/a.jpg.jpg'],
    ['../photos/a.jpg', ['photos', '../photos/'], 'out/photos/a.jpg.jpg'],
    ['photos/a.jpg', ['photos', '../photos/'], `out/${here}/photos/a.jpg.jpg`],
    ['/b/..c/a.jpg', ['/b', '/d'], 'out/b/..c/a.jpg.jpg'],
    ['/b/a.jpg', ['p'], undefined],
  ] as const)
    assert.equal(copyOf(file, { option: 'annotate' as const, folder: 'out', wanted }), copy);
});

test('copies go to no folder that is analysed, or contains or is in one that is, by links either', async (t) => {
  const folder = await createTemporaryFolder(t);
  const inside = (name: string) => path.join(folder, name);
  await mkdir(inside('photos'));
  await symlink('photos', inside('linked'));
  for (const [copies, ...wanted] of [
    ['', 'photos'],
    ['photos/copies', 'photos'],
    ['photos', 'other', 'photos/0.jpg'],
    ['linked/copies', 'photos'],
  ] as const) {
    const place = { option: 'redact' as const, folder: inside(copies), wanted: wanted.map(inside) };
    const last = place.wanted.at(-1);
    await assert.rejects(assertApart(place), {
      name: 'ConfigError',
      message: `--redact is "${place.folder}", which contains or is in "${last}", want another folder`,
    });
  }
  await assertApart({ option: 'redact', folder: inside('photos-hidden'), wanted: [inside('photos')] });
});
