import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { writeMissing } from '../../tools/analyze/annotated-copies.js';
import type { Line } from '../../tools/analyze/answer.js';
import { readSample } from '../helpers/samples.js';

test('a picture that cannot be drawn on costs a warning, not the other copies', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'copies-'));
  t.after(() => rm(folder, { recursive: true }));
  const [broken, whole] = [path.join(folder, 'broken.jpg'), path.join(folder, 'whole.jpg')];
  await writeFile(broken, 'no picture');
  await writeFile(whole, await readSample('astronaut.jpg'));
  async function* lines(): AsyncGenerator<Line> {
    for (const file of [broken, whole])
      yield await Promise.resolve({ file, feature: 'faces', result: [] });
  }
  const copies = path.join(folder, 'copies');
  const warnings: string[] = [];
  await writeMissing(lines(), copies, (message) => warnings.push(message));
  assert.equal(warnings.length, 1);
  assert.ok(warnings[0]?.startsWith(`${broken} has no annotated copy: `), warnings[0]);
  const copy = await readFile(path.join(copies, `${whole}.jpg`));
  assert.equal((await sharp(copy).metadata()).format, 'jpeg');
});
