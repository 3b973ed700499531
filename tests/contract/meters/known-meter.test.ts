import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, suite, test } from 'node:test';
import sharp from 'sharp';
import { ReadingWarning, readingWarningFromJSON } from '../../../generated/imageanalysis/v1/meter_reading.js';
import { createLifetime } from '../../helpers/lifetime.js';
import { readSample } from '../../helpers/pictures/samples.js';
import { post } from '../../helpers/service/rest-requests.js';
import { startService, type TestService } from '../../helpers/service/service.js';

// What a caller may add to a meter reading, from the REST fields to the answer and back.

type Body = Readonly<Record<string, unknown>>;

suite('a meter reading with what is known of the meter', () => {
  const lifetime = createLifetime();
  let service: TestService;
  let picture: Buffer;

  before(async () => {
    service = await startService(lifetime);
    picture = await readSample('meter.jpg');
  });

  function byText(members: Record<string, unknown>) {
    const image = `data:image/jpeg;base64,${picture.toString('base64')}`;
    return post<Body>(service, '/meter-number-ocr/base64', JSON.stringify({ image, ...members }));
  }

  test('agrees with a meter that it fits', async () => {
    const known = { expected_digits: 8, expected_decimals: 3, previous_reading: '00470.1', max_increase: '3.186' };
    const { body } = await byText(known);
    assert.deepEqual([body['value'], body['warnings']], ['00473.286', []]);
  });

  test('adds members when they are asked for', async () => {
    // Smaller, since on the sample as it is the "m3" is not found.
    const smaller = await sharp(picture).resize(640).jpeg({ quality: 92 }).toBuffer();
    const image = `data:image/jpeg;base64,${smaller.toString('base64')}`;
    const { body } = await byText({ image, alternatives: true, serial_number: true });
    assert.ok(Array.isArray(body['alternatives']));
    // The sample has no serial number: its flow of 2.5 m3/h is none.
    assert.deepEqual(body['printed'], { serial_number: '', unit: 'm3' });
  });
});

test('the documentation lists every warning', async () => {
  const page = await readFile(new URL('../../../../docs/meter-reading.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| ([A-Z_]+) \|/gm)].map(([, name]) =>
    readingWarningFromJSON(`READING_WARNING_${name}`),
  );
  const all = Object.values(ReadingWarning).slice(1, -1);
  assert.deepEqual(rows, all);
});
