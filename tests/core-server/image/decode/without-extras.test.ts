import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { withoutExtras } from '../../../../core-server/image/decode/without-extras.js';
import { Cursor } from '../../../../core-server/image/inspect/cursor.js';
import { pngChunks } from '../../../../core-server/image/inspect/png-chunks.js';
import { composeExif } from '../../../helpers/pictures/exif.js';
import { times } from '../../../helpers/pictures/jpeg.js';
import { insertInPng, pngChunk } from '../../../helpers/pictures/png.js';
import { quarters } from '../fixtures.js';

const extras = ['tEXt', 'zTXt', 'iTXt', 'tIME', 'fdAT', 'gAMA'].map((type) => pngChunk(type, 'Comment\0\0abc'));
const typesOf = (png: Buffer): string[] =>
  [...pngChunks(new Cursor(png))].map(({ at }) => png.toString('latin1', at + 4, at + 8));

test('a PNG keeps what its upright pixels need, once, and loses all else, before its pixels and after them', async () => {
  const written = await quarters().ensureAlpha(0.5).withIccProfile('p3').png({ palette: true }).toBuffer();
  const kept = [...['iCCP', 'PLTE', 'tRNS', 'eXIf'].map((type) => pngChunk(type, 'abc')), ...extras];
  const exif = pngChunk('eXIf', composeExif([[[0x112, 6]]]));
  const bare = withoutExtras(insertInPng(written, exif));
  assert.deepEqual(typesOf(bare), ['IHDR', 'eXIf', 'iCCP', 'PLTE', 'tRNS', 'IDAT']);
  assert.deepEqual(withoutExtras(bare), bare);
  assert.deepEqual(withoutExtras(insertInPng(bare, ...extras)), bare);
  const end = bare.length - 12;
  assert.deepEqual(withoutExtras(Buffer.concat([bare.subarray(0, end), ...kept, bare.subarray(end)])), bare);
  const behind = Buffer.concat([bare, ...kept]);
  assert.deepEqual(withoutExtras(behind), behind);
  // What a decoder has to know, it refuses.
  const critical = insertInPng(bare, pngChunk('ABCD', ''), pngChunk('IDAT', ''), pngChunk('IDAT', ''));
  assert.deepEqual(withoutExtras(critical), critical);
});

test('of a PNG that is cut off or damaged, what is there remains', async () => {
  const png = insertInPng(withoutExtras(await quarters(8, 8).png().toBuffer()), ...extras);
  const pixelsAt = 33 + Buffer.concat(extras).length;
  for (let length = 8; length < png.length; length += 1) {
    const cut = withoutExtras(png.subarray(0, length));
    assert.ok(cut.length <= length, String(length));
    if (length >= pixelsAt) assert.deepEqual(cut, withoutExtras(png).subarray(0, cut.length), String(length));
  }
  assert.ok(withoutExtras(insertInPng(png, Buffer.from('ffffffff7445587400', 'hex'))).length < png.length);
});

/** In a PNG, the profile of a screen whose tags are replaced by such as begin at no multiple of four, of which libpng warns. */
async function profileChunk(tags: number): Promise<Buffer> {
  const { icc = Buffer.alloc(0) } = await sharp(await quarters().withIccProfile('p3').png().toBuffer()).metadata();
  const profile = Buffer.concat([icc.subarray(0, 132), times(tags, Buffer.from('000000000000000100000000', 'hex'))]);
  profile.writeUInt32BE(profile.length, 0);
  profile.writeUInt32BE(tags, 128);
  return pngChunk('iCCP', Buffer.concat([Buffer.from('Profile\0\0'), deflateSync(profile)]));
}

test('neither texts of 800 MB nor hundreds of thousands of warnings need room in the heap of a worker', async () => {
  const text = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(7_900_000, 'a'))]);
  const table = {
    texts: times(100, pngChunk('zTXt', text)),
    'empty tRNS': times(400_000, pngChunk('tRNS', '')),
    palettes: times(400_000, pngChunk('PLTE', 'rgb')),
    'a profile': await profileChunk(400_000),
    'pixels in many chunks': times(400_000, pngChunk('IDAT', '')),
  };
  const png = await quarters().png().toBuffer();
  const module = new URL('../../../../core-server/image/decode/open-picture.js', import.meta.url).href;
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(${JSON.stringify(module)})
      .then(({ openPicture }) => openPicture({ bytes: workerData, type: 'png' }, { maxPixels: 1e6, maxSide: 1e3 }))
      .then(({ size }) => parentPort.postMessage(size));`;
  const resourceLimits = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 32 };
  for (const [name, chunks] of Object.entries(table)) {
    const thread = new Worker(code, { eval: true, workerData: insertInPng(png, chunks), resourceLimits });
    const [size] = (await once(thread, 'message')) as [object];
    assert.deepEqual(size, { width: 96, height: 64 }, name);
    await thread.terminate();
  }
});
