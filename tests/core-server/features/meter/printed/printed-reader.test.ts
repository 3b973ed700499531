import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import type { Quad } from '../../../../../core-server/features/meter/geometry.js';
import { createPrintedReader } from '../../../../../core-server/features/meter/printed/printed-reader.js';
import type { RgbPicture } from '../../../../../core-server/image/picture.js';
import { countThreads } from '../../../../helpers/count-threads.js';
import { eventually } from '../../../../helpers/eventually.js';
import { box } from '../fixtures.js';

/** The face of a meter, turned by quarters, with its counter. */
async function drawMeter(quarters: number): Promise<{ picture: RgbPicture; counter: Quad }> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400">
    <rect width="400" height="400" fill="#eee"/>
    <g font-family="sans-serif" font-size="28" fill="#222">
      <text x="110" y="150">No 20481657</text>
      <rect x="130" y="180" width="140" height="36" fill="#222"/>
      <text x="145" y="208" fill="#fff">00123456</text>
      <text x="180" y="290">kWh</text>
    </g></svg>`;
  const { data, info } = await sharp(Buffer.from(svg))
    .removeAlpha()
    .rotate(quarters * 90)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const [a, b, c, d] = [
    [130, 180],
    [270, 180],
    [270, 216],
    [130, 216],
  ].map(([x = 0, y = 0]) => (quarters === 2 ? { x: 400 - x, y: 400 - y } : { x, y }));
  assert.ok(a && b && c && d);
  return { picture: { data, width: info.width, height: info.height }, counter: [a, b, c, d] };
}

const { signal } = new AbortController();
const printed = { serialNumber: '20481657', unit: 'kWh' };

test('serial number and unit are read, upside down too, by a thread that ends after some pictures or some time', async (t) => {
  const reader = createPrintedReader({ idleMs: 1_000, maxPictures: 2 });
  t.after(() => reader.release());
  const threads = countThreads(t);
  const [upright, upsideDown] = [await drawMeter(0), await drawMeter(2)];
  for (const { picture, counter } of [upright, upsideDown])
    assert.deepEqual(await reader.read(picture, counter, signal), printed);
  assert.equal(threads.living, 0);
  assert.deepEqual(await reader.read(upright.picture, upright.counter, signal), printed);
  assert.equal(threads.living, 1);
  await eventually(() => threads.living === 0);
  assert.equal(threads.most, 1);
});

test('a page of small print takes no more memory than a thread has', async (t) => {
  const reader = createPrintedReader();
  t.after(() => reader.release());
  const side = 1200;
  const lines = Array.from(
    { length: 60 },
    (_, line) => `<text x="0" y="${20 * line + 16}">${'A8B3K5M7'.repeat(19)}</text>`,
  );
  const page = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">
    <rect width="${side}" height="${side}" fill="#fff"/><g font-family="sans-serif" font-size="14">${lines.join('')}</g></svg>`;
  const data = await sharp(Buffer.from(page)).removeAlpha().raw().toBuffer();
  const counter = box(420, 560, 300, 80);
  await reader.read({ data, width: side, height: side }, counter, signal);
});

test('callers who go leave no more than one thread at work', async (t) => {
  const reader = createPrintedReader();
  t.after(() => reader.release());
  const threads = countThreads(t);
  const { picture, counter } = await drawMeter(0);
  for (let callers = 0; callers < 5; callers++) {
    const caller = new AbortController();
    const reading = reader.read(picture, counter, caller.signal);
    setTimeout(() => caller.abort(new Error('gone')), 50);
    await assert.rejects(reading, /gone/);
  }
  assert.deepEqual(await reader.read(picture, counter, signal), printed);
  assert.equal(threads.most, 1);
});

test('a thread ends after some pictures, also where their callers go', async (t) => {
  const reader = createPrintedReader({ maxPictures: 2 });
  t.after(() => reader.release());
  const threads = countThreads(t);
  const { picture, counter } = await drawMeter(0);
  assert.deepEqual(await reader.read(picture, counter, signal), printed);
  const caller = new AbortController();
  const reading = reader.read(picture, counter, caller.signal);
  // Once the thread has the picture.
  setImmediate(() => caller.abort(new Error('gone')));
  await assert.rejects(reading, /gone/);
  assert.deepEqual(await reader.read(picture, counter, signal), printed);
  assert.equal(threads.begun, 2);
  await eventually(() => threads.living === 1);
});
