import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { deflateSync } from 'node:zlib';
import { withoutTexts } from '../../../../core-server/image/decode/without-texts.js';
import { insertInPng, pngChunk } from '../../../helpers/pictures/png.js';
import { quarters } from '../fixtures.js';

const texts = ['tEXt', 'zTXt', 'iTXt'].map((type) => pngChunk(type, 'Comment\0\0abc'));

test('a PNG loses its texts, before its pixels and after them, and nothing else', async () => {
  const png = await quarters().withIccProfile('p3').png().toBuffer();
  const other = pngChunk('tIME', Buffer.alloc(7));
  assert.deepEqual(withoutTexts(png), png);
  assert.deepEqual(withoutTexts(insertInPng(png, ...texts, other, ...texts)), insertInPng(png, other));
  const end = png.length - 12;
  assert.deepEqual(withoutTexts(Buffer.concat([png.subarray(0, end), ...texts, png.subarray(end)])), png);
  const behind = Buffer.concat([png, ...texts]);
  assert.deepEqual(withoutTexts(behind), behind);
});

test('of a PNG that is cut off or damaged, what is there remains', async () => {
  const png = insertInPng(await quarters(8, 8).png().toBuffer(), ...texts);
  const pixelsAt = 33 + Buffer.concat(texts).length;
  for (let length = 8; length < png.length; length += 1) {
    const cut = withoutTexts(png.subarray(0, length));
    assert.ok(cut.length <= length, String(length));
    if (length >= pixelsAt) assert.deepEqual(cut, withoutTexts(png).subarray(0, cut.length), String(length));
  }
  assert.ok(withoutTexts(insertInPng(png, Buffer.from('ffffffff7445587400', 'hex'))).length < png.length);
});

test('a hundred texts that inflate to 800 MB fit into the heap of a worker', async () => {
  const text = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(7_900_000, 'a'))]);
  const bytes = insertInPng(await quarters().png().toBuffer(), ...Array<Buffer>(100).fill(pngChunk('zTXt', text)));
  const module = new URL('../../../../core-server/image/decode/open-picture.js', import.meta.url).href;
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(${JSON.stringify(module)})
      .then(({ openPicture }) => openPicture({ bytes: workerData, type: 'png' }, { maxPixels: 1e6, maxSide: 1e3 }))
      .then(({ size }) => parentPort.postMessage(size));`;
  const resourceLimits = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 32 };
  const thread = new Worker(code, { eval: true, workerData: bytes, resourceLimits });
  const [size] = (await once(thread, 'message')) as [object];
  assert.deepEqual(size, { width: 96, height: 64 });
  await thread.terminate();
});
