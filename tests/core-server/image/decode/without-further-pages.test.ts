import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeUpright } from '../../../../core-server/image/decode/decode.js';
import { readHeader } from '../../../../core-server/image/decode/open-picture.js';
import { withoutFurtherPages } from '../../../../core-server/image/decode/without-further-pages.js';
import { inspectPicture } from '../../../../core-server/image/inspect/inspect-picture.js';
import { imageFile } from '../../../helpers/pictures/image-file.js';
import {
  composeDirectories,
  composeTiff,
  type TiffForm,
  tiffForms,
  tiffWriter,
} from '../../../helpers/pictures/tiff.js';
import { defaultLimits } from '../fixtures.js';

const size = { width: 4, height: 4 };
const stripBytes = 16;

/** A TIFF of pages of the same pixels, compressed in these ways by what they say. @param last where the last leads to */
function pagesOf(form: TiffForm, compressions: readonly number[], last = 0): Buffer {
  const { field } = tiffWriter(form);
  const stripAt = form.endsWith('+') ? 16 : 8;
  const page = (compression: number): Buffer[] =>
    [
      [256, size.width],
      [257, size.height],
      [258, 8],
      [259, compression],
      [262, 1],
      [273, stripAt],
      [278, size.height],
      [279, stripBytes],
    ].map(([tag = 0, value = 0]) => field(tag, 3, 1, value));
  return composeDirectories(form, compressions.map(page), last, Buffer.alloc(stripBytes, 200));
}

test('the first page of a TIFF is shown, whatever is wrong with others and however many there are, in each form', async () => {
  for (const form of tiffForms) {
    const first = form.endsWith('+') ? 32 : 24;
    const oldJpeg = 6;
    const files = {
      'a page of old compression': pagesOf(form, [1, oldJpeg]),
      'a page beyond the end': pagesOf(form, [1], 1e6),
      'pages in a ring': pagesOf(form, [1, 1], first),
      'a hundred pages': pagesOf(form, Array<number>(100).fill(1)),
    };
    for (const [what, bytes] of Object.entries(files)) {
      const file = imageFile(bytes);
      inspectPicture(file, defaultLimits);
      const { data } = await decodeUpright(await readHeader(file, defaultLimits), size);
      assert.deepEqual(new Set(data), new Set([200]), `${form}: ${what}`);
    }
  }
});

test('a TIFF of one page remains as it is, and one that is cut off no longer than it is', () => {
  const whole = composeTiff(Buffer.alloc(stripBytes, 200), size);
  assert.deepEqual(withoutFurtherPages(whole), whole);
  for (let length = 4; length < whole.length; length += 1)
    assert.equal(withoutFurtherPages(whole.subarray(0, length)).length, length);
});
