import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import sharp from 'sharp';
import { decodeUpright } from '../../../../core-server/image/decode/decode.js';
import { openPicture } from '../../../../core-server/image/decode/open-picture.js';
import { restrictLoaders } from '../../../../core-server/image/decode/restrict-loaders.js';
import { wholeOf } from '../../../../core-server/image/picture.js';
import { imageFile } from '../../../helpers/pictures/image-file.js';
import { defaultLimits, quarters } from '../fixtures.js';

before(restrictLoaders);

const size = { width: 96, height: 64 };
test('a small picture is decoded whole and upright, as by its header', async () => {
  for (const orientation of [1, 6]) {
    const bytes = await quarters(orientation === 6 ? 64 : 96, orientation === 6 ? 96 : 64)
      .withMetadata({ orientation })
      .jpeg()
      .toBuffer();
    const picture = await openPicture(imageFile(bytes), defaultLimits);
    assert.deepEqual(picture.size, size);
    assert.deepEqual(picture.decoded, { picture: await decodeUpright(picture, size), around: wholeOf(size) });
  }
});

test('a picture is decoded whole up to Full HD, and no further', async () => {
  const blank = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#345' } })
      .jpeg()
      .toBuffer();
  const largest = await openPicture(imageFile(await blank(1920, 1080)), defaultLimits);
  assert.equal(largest.decoded?.picture.data.length, 1920 * 1080 * 3);
  const larger = await openPicture(imageFile(await blank(1920, 1081)), defaultLimits);
  assert.deepEqual(larger.size, { width: 1920, height: 1081 });
  assert.equal(larger.decoded, undefined);
});

test('the limits hold for what is decoded without its header', async () => {
  const bytes = await quarters().jpeg().toBuffer();
  await assert.rejects(openPicture(imageFile(bytes), { ...defaultLimits, maxPixels: 6143 }), {
    name: 'Refusal',
    reason: 'IMAGE_TOO_MANY_PIXELS',
    message: 'image has 6144 pixels (96 x 64), want at most 6143',
  });
  await assert.rejects(openPicture(imageFile(bytes), { ...defaultLimits, maxSide: 95 }), {
    name: 'Refusal',
    reason: 'IMAGE_TOO_MANY_PIXELS',
    message: 'image has a side of 96 pixels (96 x 64), want at most 95',
  });
});
