import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receivePicture } from '../../../../core-server/image/inspect/receive-picture.js';
import { sniffType } from '../../../../core-server/image/inspect/sniff-type.js';
import type { Reason } from '../../../../runtime/errors/reasons.js';
import { quarters } from '../fixtures.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
/** A file type box: size, "ftyp", major brand, minor version, compatible brands. */
const ftyp = (major: string, ...compatible: string[]): Buffer => {
  const body = bytes(`ftyp${major}\0\0\0\0${compatible.join('')}`);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(body.length + 4);
  return Buffer.concat([size, body, bytes('\0\0\0\x08free')]);
};

test('the type is told by the first bytes', () => {
  const table: [string, Buffer, string | undefined][] = [
    ['JPEG', bytes('\xff\xd8\xff\xe0'), 'jpeg'],
    ['PNG', bytes('\x89PNG\r\n\x1a\n'), 'png'],
    ['GIF 87', bytes('GIF87a'), 'gif'],
    ['GIF 89', bytes('GIF89a'), 'gif'],
    ['WebP', bytes('RIFF\0\0\0\0WEBPVP8 '), 'webp'],
    ['TIFF little endian', bytes('II*\0'), 'tiff'],
    ['TIFF big endian', bytes('MM\0*'), 'tiff'],
    ['BigTIFF', bytes('II+\0'), 'tiff'],
    ['AVIF', ftyp('avif', 'mif1', 'miaf'), 'avif'],
    ['AVIF sequence', ftyp('avis', 'msf1', 'avif'), 'avis'],
    ['AVIF with a sequence beside it', ftyp('avif', 'avis', 'msf1'), 'avif'],
    ['AVIF by a compatible brand', ftyp('mif1', 'miaf', 'avif'), 'avif'],
    ['HEIC of a phone', ftyp('heic', 'mif1', 'heic'), 'heic'],
    ['HEIF of unknown coding', ftyp('mif1', 'miaf'), 'heic'],
    ['a brand beyond the box', Buffer.concat([ftyp('isom'), bytes('avif')]), undefined],
    ['a brand after 512 bytes', ftyp('isom', ...Array<string>(124).fill('isom'), 'avif'), undefined],
    ['a minor version that reads avif', ftyp('isom').fill('avif', 12, 16), undefined],
    ['MP4', ftyp('isom', 'iso2', 'mp41'), undefined],
    ['SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>'), undefined],
    ['SVG with a prologue', bytes('<?xml version="1.0"?><svg/>'), undefined],
    ['PDF', bytes('%PDF-1.7'), undefined],
    ['BMP', bytes('BM\0\0'), undefined],
    ['WAV', bytes('RIFF\0\0\0\0WAVE'), undefined],
    ['text', bytes('hello'), undefined],
    ['the beginning of a signature', bytes('\xff\xd8'), undefined],
    ['an empty file type box', bytes('\0\0\0\x08ftyp'), undefined],
    ['nothing', Buffer.alloc(0), undefined],
  ];
  for (const [name, head, type] of table) assert.equal(sniffType(head), type, name);
});

test('the type is told for what encoders write, from a view into larger memory too', async () => {
  for (const type of ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const) {
    const file = await quarters()[type]().toBuffer();
    const around = Buffer.concat([bytes('GIF89a'), file, bytes('GIF89a')]);
    assert.equal(sniffType(around.subarray(6, 6 + file.length)), type);
  }
});

const png = new Uint8Array(bytes('\x89PNG\r\n\x1a\n____________'));

test('a file of exactly the limit passes, and what is refused is told why', () => {
  assert.deepEqual(receivePicture(png, { maxBytes: png.length }), { bytes: png, type: 'png' });
  assert.throws(() => receivePicture(png, { maxBytes: png.length - 1 }), {
    reason: 'BODY_TOO_LARGE',
    message: 'image has 20 bytes, want at most 19',
    details: { field: 'image', value: '20', limit: '19' },
  });
  const unknown = 'is of an unknown type, want JPEG, PNG, WebP, AVIF, GIF or TIFF';
  const table: [file: Uint8Array, reason: Reason, what: string][] = [
    [new Uint8Array(), 'EMPTY_IMAGE', 'has no bytes, want a picture file'],
    [bytes('<svg/>'), 'UNSUPPORTED_IMAGE_TYPE', unknown],
    [bytes('%PDF-1.7'), 'UNSUPPORTED_IMAGE_TYPE', unknown],
    [
      ftyp('heic', 'mif1'),
      'UNSUPPORTED_IMAGE_TYPE',
      'is HEIC, want it converted to JPEG, or CORE_HEIC set to true on the server',
    ],
    [ftyp('avis', 'avif'), 'UNSUPPORTED_IMAGE_TYPE', 'is an animated AVIF, want a still picture'],
  ];
  for (const [file, reason, what] of table)
    assert.throws(() => receivePicture(file, { maxBytes: 100 }), { reason, message: `image ${what}` });
});
