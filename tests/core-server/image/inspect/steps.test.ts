import assert from 'node:assert/strict';
import { test } from 'node:test';
import { avifPixels } from '../../../../core-server/image/inspect/avif/avif-pixels.js';
import { checkParts } from '../../../../core-server/image/inspect/check-parts.js';
import { budgetFor, Cursor } from '../../../../core-server/image/inspect/cursor.js';
import { inspectPicture } from '../../../../core-server/image/inspect/inspect-picture.js';
import { sniffType } from '../../../../core-server/image/inspect/sniff-type.js';
import { inspectTiff } from '../../../../core-server/image/inspect/tiff/inspect-tiff.js';
import { Refusal } from '../../../../runtime/errors/refusal.js';
import { createHostileFiles, emptyExtents } from '../../../helpers/pictures/hostile-pictures.js';
import { imageFile } from '../../../helpers/pictures/image-file.js';

/** Steps that the parsers take for a file, limited or not; undefined: they stopped because of the limit. */
function stepsFor(bytes: Buffer, limit = budgetFor(bytes.length).steps): number | undefined {
  const budget = { steps: limit, parts: budgetFor(0).parts };
  const file = new Cursor(bytes, budget);
  const type = sniffType(bytes);
  assert.ok(type && type !== 'heic' && type !== 'avis', 'a type that is served');
  try {
    if (type === 'tiff') inspectTiff(file);
    else checkParts[type]?.(file);
    if (type === 'avif') avifPixels(file, 1e6);
  } catch (error) {
    if (budget.steps < 0 || budget.parts < 0) return undefined;
    assert.ok(error instanceof Refusal, String(error));
  }
  return limit - budget.steps;
}

test('numbers of no bytes are steps too: an AVIF of a million empty extents is CORRUPT_IMAGE', () => {
  const file = emptyExtents();
  assert.ok(file.length < 10_000);
  assert.throws(() => inspectPicture(imageFile(file), { maxPixels: 1e7 }), { reason: 'CORRUPT_IMAGE' });
});

test('the worst files of each parser end within their steps, most by themselves', () => {
  const files = [100, 1_000, 300_000].flatMap(createHostileFiles);
  const stopped = files.filter(({ name, bytes }) => {
    const steps = stepsFor(bytes);
    assert.ok(steps === undefined || steps <= budgetFor(bytes.length).steps, name);
    return steps === undefined;
  });
  assert.ok(files.length > 150);
  assert.ok(stopped.length < 30, stopped.map(({ name }) => name).join('\n'));
});

test('twice the bytes take at most twice the steps, and what each file has free', () => {
  const [small, large] = [createHostileFiles(100_000), createHostileFiles(200_000)];
  for (const [index, { name, bytes }] of large.entries()) {
    const [few = 0, many = 0] = [small[index]?.bytes ?? bytes, bytes].map((file) => stepsFor(file));
    assert.ok(many <= 2.1 * few + 100_000, `${name}: ${few}, ${many}`);
  }
});

test('a cursor gives no more than its steps, however they are spent', () => {
  const bytes = Buffer.alloc(100);
  const spend: Record<string, (file: Cursor) => unknown> = {
    'nothing read': (file) => file.uint(0, 0),
    'the same byte': (file) => file.byte(7),
    'bytes beyond the end': (file) => file.byte(1_000),
    texts: (file) => file.text(0, 4),
    searches: (file) => file.find(1, 0),
    parts: (file) => file.part(0).part(5, 5),
    'parts of parts': (file) => file.part(1, 3).uint(0, 2),
    joins: (file) => file.join([file.part(0), file.part(0)]),
  };
  for (const [what, take] of Object.entries(spend)) {
    const file = new Cursor(bytes, { steps: 1_000, parts: 1_000 });
    let times = 0;
    assert.throws(
      () => {
        for (; times < 5_000; times += 1) take(file);
      },
      { reason: 'CORRUPT_IMAGE' },
    );
    assert.ok(times <= (what === 'searches' ? 1_000 / bytes.length : 1_000), `${what}: ${times}`);
  }
});

test('nor more parts than fit into a worker, for each of which it takes memory', () => {
  const file = new Cursor(Buffer.alloc(1e6));
  assert.throws(
    () => {
      for (let part = 0; part < 100_000; part += 1) file.part(0, 0);
    },
    { reason: 'CORRUPT_IMAGE' },
  );
});
