import { deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { be, composeAvif, gridOf, overlayOf } from '../helpers/pictures/avif.js';
import { exifRing, withExif } from '../helpers/pictures/exif.js';
import { createHostileFiles } from '../helpers/pictures/hostile-pictures.js';
import { emptyScan, insertAtEnd, times } from '../helpers/pictures/jpeg.js';
import { pngChunk } from '../helpers/pictures/png.js';
import { readSample } from '../helpers/pictures/samples.js';
import { composeTiff } from '../helpers/pictures/tiff.js';

/** A picture to start from. */
export interface HostilePicture {
  readonly name: string;
  readonly bytes: Buffer;
  readonly cost: PictureCost;
}

/**
 * How far an undamaged one gets: it is refused for its first bytes or its header, a small one is decoded
 * and analysed, a heavy one takes tens of milliseconds to decode.
 */
type PictureCost = 'refused' | 'small' | 'heavy';

type Named = Record<string, Promise<Buffer> | Buffer>;

/** Valid, odd and hostile pictures of every type, made anew at each start. */
export async function createPictures(): Promise<HostilePicture[]> {
  const portrait = await sharp(await readSample('astronaut.jpg'))
    .resize(64)
    .png()
    .toBuffer();
  const base = () => sharp(portrait);
  const small: Named = {
    jpeg: base().jpeg().toBuffer(),
    'jpeg, progressive': base().jpeg({ progressive: true }).toBuffer(),
    'jpeg, CMYK': base().toColourspace('cmyk').jpeg().toBuffer(),
    'jpeg, grey': base().greyscale().jpeg().toBuffer(),
    png: base().png().toBuffer(),
    'png, palette': base().png({ palette: true }).toBuffer(),
    'png, 16 bit': base().toColourspace('rgb16').png().toBuffer(),
    'png, transparent': base().ensureAlpha(0.3).png().toBuffer(),
    webp: base().webp().toBuffer(),
    'webp, animated': animate('webp'),
    avif: base().avif({ effort: 0 }).toBuffer(),
    'avif, transparent': base().ensureAlpha(0.3).avif({ effort: 0 }).toBuffer(),
    'avif, grid': composeAvif({
      side: 64,
      tiles: 4,
      derived: { type: 'grid', payload: gridOf(2, 2, 120, 120), side: 120 },
    }),
    'avif, three frames': composeAvif({ side: 64, frames: 3 }),
    gif: base().gif().toBuffer(),
    'gif, animated': animate('gif'),
    tiff: base().tiff().toBuffer(),
    'tiff, tiled pyramid': base().tiff({ tile: true, pyramid: true }).toBuffer(),
    'tiff, turned, tall tiles': base()
      .withMetadata({ orientation: 6 })
      .tiff({ tile: true, tileWidth: 32, tileHeight: 128 })
      .toBuffer(),
    'jpeg, odd ICC profile': base().withIccProfile('p3').jpeg().toBuffer(),
    'jpeg, EXIF cut short': brokenExif(base()),
    'one pixel': sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
      .png()
      .toBuffer(),
    'JPEG and ZIP in one': Buffer.concat([await base().jpeg().toBuffer(), zipEnd]),
  };
  for (let orientation = 1; orientation <= 9; orientation += 1) {
    small[`jpeg, EXIF orientation ${orientation}`] = base()
      .withExif({ IFD0: { Orientation: String(orientation) } })
      .jpeg()
      .toBuffer();
  }
  const refused: Named = {
    'no byte': Buffer.alloc(0),
    'magic bytes alone': Buffer.from([0xff, 0xd8, 0xff]),
    'GIF and JavaScript in one': Buffer.from('GIF89a/*\0\0\0\0\0\0*/=1;alert(1)'),
    svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
    pdf: Buffer.from('%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj'),
    heic: Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'),
    'png that says 60,000 by 60,000': hugePng(60_000, 60_000),
    'png of 30,000 by 1': sharp({ create: { width: 30_000, height: 1, channels: 3, background: 'red' } })
      .png()
      .toBuffer(),
    'tiff that says 65,535 by 65,535': composeTiff(Buffer.alloc(0), {
      width: 65_535,
      height: 65_535,
      stripBytes: 0xffff_fff0,
    }),
    'tiff whose strip is a JPEG of many scans': manyScans(base()).then((strip) =>
      composeTiff(strip, { width: 64, height: 64, compression: 7 }),
    ),
    'tiff cut off behind its directory': composeTiff(Buffer.alloc(64), { width: 64, height: 64, stripBytes: 64 * 64 }),
    'jpeg of many scans': manyScans(base()),
    'jpeg of many segments': base()
      .jpeg({ progressive: true })
      .toBuffer()
      .then((jpeg) => insertAtEnd(jpeg, times(1_001, Buffer.from([0xff, 0xe1, 0, 2])))),
    'jpeg, EXIF that points to itself': withExif(base(), 'jpeg', exifRing(200)),
    'png, EXIF that points to itself': withExif(base(), 'png', exifRing(200)),
    'webp, EXIF that points to itself': withExif(base(), 'webp', exifRing(200)),
    'avif, EXIF that points to itself': withExif(base(), 'avif', exifRing(200)),
    'webp that says 16,383 by 16,383': hugeWebp(),
    'gif that says 65,535 by 65,535': hugeGif(),
    'avif overlay of 16,384 by 16,384 that says 64 by 64': composeAvif({
      side: 64,
      derived: { type: 'iovl', payload: overlayOf(16_384, 16_384), side: 64 },
    }),
    'avif grid of 64 by 64 with tiles of 3,600 by 3,600': composeAvif({
      side: 3_600,
      tiles: 8,
      derived: { type: 'grid', payload: gridOf(2, 4, 64, 64), side: 64 },
    }),
  };
  for (const { name, bytes } of createHostileFiles(20_000)) refused[name] = bytes;
  const heavy: Named = {
    'png bomb within the limit': hugePng(7_000, 7_000, true),
    'jpeg of 16,384 by 300': sharp({ create: { width: 16_384, height: 300, channels: 3, background: 'grey' } })
      .jpeg()
      .toBuffer(),
    portrait: readSample('astronaut.jpg'),
    meter: readSample('meter.jpg'),
  };
  return [
    ...(await toPictures(refused, 'refused')),
    ...(await toPictures(small, 'small')),
    ...(await toPictures(heavy, 'heavy')),
  ];
}

async function toPictures(named: Named, cost: PictureCost): Promise<HostilePicture[]> {
  return await Promise.all(Object.entries(named).map(async ([name, bytes]) => ({ name, bytes: await bytes, cost })));
}

async function manyScans(picture: Sharp): Promise<Buffer> {
  const jpeg = await picture.greyscale().jpeg({ progressive: true }).toBuffer();
  return insertAtEnd(jpeg, times(100, emptyScan));
}

/** Forty frames of 32 by 32 pixels. */
function animate(format: 'gif' | 'webp'): Promise<Buffer> {
  const [side, frames] = [32, 40];
  const raw = { width: side, height: side * frames, channels: 3, pageHeight: side } as const;
  return sharp(Buffer.alloc(side * side * frames * 3, 120), { raw })
    .toFormat(format)
    .toBuffer();
}

async function brokenExif(picture: Sharp): Promise<Buffer> {
  const bytes = await picture
    .withExif({ IFD0: { Copyright: 'x'.repeat(64) } })
    .jpeg()
    .toBuffer();
  const at = bytes.indexOf('Exif\0\0');
  // Offsets and counts of the first directory point far outside.
  return Buffer.from(bytes.fill(0xff, at + 10, at + 40));
}

/** End of an empty ZIP archive. */
const zipEnd = Buffer.from('504b0506'.padEnd(44, '0'), 'hex');

/** Black pixels compress a thousand times. @param whole whether the pixels are all there */
function hugePng(width: number, height: number, whole = false): Buffer {
  const rows = whole ? height : 16;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', Buffer.concat([be(4, width, height), be(1, 8, 0, 0, 0, 0)])),
    pngChunk('IDAT', deflateSync(Buffer.alloc((width + 1) * rows))),
    pngChunk('IEND', ''),
  ]);
}

/** A lossless WebP whose header alone is there. */
function hugeWebp(): Buffer {
  const bits = 0x3fff | (0x3fff << 14);
  const body = Buffer.from([0x2f, bits & 255, (bits >> 8) & 255, (bits >> 16) & 255, bits >>> 24, 0]);
  const bytes = Buffer.alloc(20 + body.length);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(12 + body.length, 4);
  bytes.write('WEBPVP8L', 8);
  bytes.writeUInt32LE(body.length, 16);
  body.copy(bytes, 20);
  return bytes;
}

function hugeGif(): Buffer {
  const screen = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 2, 2, 0x4c, 1, 0, 0x3b]);
  return Buffer.concat([Buffer.from('GIF89a'), screen, frame]);
}
