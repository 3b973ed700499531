import { unsupportedImage } from '../../refuse-image.js';
import { assertFew, maxScans } from '../check-parts.js';
import type { Cursor } from '../cursor.js';
import { countContinuedScans } from '../jpeg-segments.js';
import { firstDirectory, type TiffDirectory } from './first-directory.js';

/**
 * Refuses a TIFF that costs more than its pixels, or that libvips would show wrongly.
 *
 * @returns the bytes that its decoder takes for it
 * @throws Refusal UNSUPPORTED_IMAGE_TYPE or CORRUPT_IMAGE
 */
export function inspectTiff(file: Cursor): number {
  const page = firstDirectory(file);
  // Without one, libtiff refuses the file.
  if (!page) return 0;
  assertNoPreview(page);
  assertKnownCompression(page);
  assertKnownSamples(page);
  countStripBytes(file, page);
  assertFew('tiff', 'strips or tiles, or rows of them in CCITT or PackBits', countDecoded(page), maxDecoded);
  if (read(page, 'compression', 1) === inJpeg) {
    assertFew('tiff', 'scans in a strip or tile', countContinuedScans(file, maxScans), maxScans);
    assertFew('tiff', 'bytes in its JPEG tables', page(tags.jpegTables)?.count ?? 0, maxTableBytes);
  }
  return bytesOf(page);
}

/** libtiff may warn of each, and each warning takes some hundred bytes of a worker's heap. */
const maxDecoded = 20_000;
/** They are read for each tile; 574 are usual. */
const maxTableBytes = 4_096;

const inJpeg = 7;
const packBits = 32_773;
/**
 * Of PackBits, libvips reads strips of more rows row by row, and shows a wrong picture where a program did not pack each
 * row alone, as TIFF 6.0, section 9, has it.
 */
const maxPackedRows = 128;
/** Decoded row by row: CCITT and PackBits. */
const byRow = [2, 3, 4, packBits];
/** Of TIFF 6.0 and Adobe: uncompressed, CCITT (2, 3 and 4), LZW, JPEG, deflate (two numbers) and PackBits. */
const compressions = [1, 2, 3, 4, 5, inJpeg, 8, 32_946, packBits];

/** Strips or tiles, or rows of them where the decoder goes by rows. */
function countDecoded(page: TiffDirectory): number {
  const isTiled = page(tags.tileWidth) !== undefined;
  const across = isTiled ? Math.ceil(read(page, 'width', 0) / read(page, 'tileWidth', 0)) : 1;
  const isByRow = byRow.includes(read(page, 'compression', 1));
  const rows = isByRow ? 1 : read(page, isTiled ? 'tileLength' : 'rowsPerStrip', Infinity);
  const down = Math.ceil(read(page, 'height', 0) / rows);
  return across * down;
}

/** Camera raw files, such as DNG and NEF, are TIFFs that begin with a preview of a few hundred pixels. */
function assertNoPreview(page: TiffDirectory): void {
  if ((read(page, 'subfileType', 0) & 1) === 0) return;
  const what = 'is a TIFF that begins with a preview, as camera raw files do, want it converted to JPEG';
  throw unsupportedImage('tiff', what);
}

function assertKnownCompression(page: TiffDirectory): void {
  const compression = read(page, 'compression', 1);
  const rows = Math.min(read(page, 'rowsPerStrip', Infinity), read(page, 'height', 0));
  const isTall = rows > maxPackedRows && !page(tags.tileWidth);
  if (compressions.includes(compression) && !(compression === packBits && isTall)) return;
  const wish = `want none, CCITT, LZW, JPEG, deflate or, in strips of at most ${maxPackedRows} rows, PackBits`;
  throw unsupportedImage('tiff', `is a TIFF with compression ${compression}, ${wish}`);
}

/** How many channels each has of the colours that libvips shows rightly: grey, RGB, palette, CMYK and YCbCr. */
const channelsOf: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 3, 3: 1, 5: 4, 6: 3 };

/**
 * Unsigned whole numbers of 1 to 16 bits, of 8 or 16 where there are several channels, which stand side by side; beside the
 * colours, alpha alone; YCbCr where libtiff makes RGB of it. libvips refuses most others as if they were damaged, or shows
 * them without an error, but wrong, such as all black or white, or brightness as red.
 */
function assertKnownSamples(page: TiffDirectory): void {
  // Without it, libvips refuses the file.
  if (!page(tags.photometric)) return;
  const photometric = read(page, 'photometric', 0);
  const [bits, samples] = [read(page, 'bitsPerSample', 1), read(page, 'samplesPerPixel', 1)];
  const channels = channelsOf[photometric];
  const [across, down] = page(tags.chromaSubsampling)?.values ?? [];
  const isMadeRgb = across !== 1 || down !== 1 || read(page, 'compression', 1) === inJpeg;
  const isKnown =
    channels !== undefined &&
    ![2, 3, 5, 6].includes(read(page, 'sampleFormat', 1)) &&
    (samples > 1 ? [8, 16] : [1, 2, 4, 8, 16]).includes(bits) &&
    (samples <= channels || (samples === channels + 1 && read(page, 'extraSamples', 1) !== 0)) &&
    read(page, 'planarConfiguration', 1) !== 2 &&
    (photometric !== inYcc || isMadeRgb);
  if (isKnown) return;
  const what = 'is a TIFF of rare colours, channels or numbers, want grey, RGB or CMYK of 8 or 16 bits, side by side';
  throw unsupportedImage('tiff', what);
}

/** StripByteCounts and TileByteCounts (TIFF 6.0, sections 8 and 15); of a page that has both, the later ones count. */
const byteCountTags = [279, 325];

/**
 * Each byte of a strip or tile is a step: libtiff copies it, and its decoder may look at all of them. Thousands may share
 * the same megabyte, of which a decoder takes a millisecond each.
 *
 * @throws Refusal CORRUPT_IMAGE
 */
function countStripBytes(file: Cursor, page: TiffDirectory): void {
  for (const tag of byteCountTags) for (const count of page(tag)?.values ?? []) file.step(Math.min(count, file.length));
}

/** Tags of a TIFF (TIFF 6.0, sections 8, 15, 18, 19 and 21, and Adobe's TIFF Technical Note 2). */
const tags = {
  /** Its lowest bit says that the page is a smaller copy of another. */
  subfileType: 254,
  width: 256,
  height: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  planarConfiguration: 284,
  tileWidth: 322,
  tileLength: 323,
  extraSamples: 338,
  sampleFormat: 339,
  /** Of the JPEGs of all strips or tiles. */
  jpegTables: 347,
  chromaSubsampling: 530,
};

/** YCbCr, as the photometric interpretation. */
const inYcc = 6;

/** The first value of a field. @param absent what it is where the page has none */
function read(page: TiffDirectory, tag: keyof typeof tags, absent: number): number {
  const [first = absent] = page(tags[tag])?.values ?? [];
  return first;
}

/**
 * Bytes that libvips takes for a TIFF whose channels are stored one after the other, which has tall tiles, or which
 * is turned: all its pixels, at their own depth, and up to one channel more. Others take less, but are seldom large.
 */
function bytesOf(page: TiffDirectory): number {
  const channels = read(page, 'samplesPerPixel', 1) + 1;
  // Without a width or a height, libtiff refuses the file.
  return (read(page, 'width', 0) * read(page, 'height', 0) * channels * read(page, 'bitsPerSample', 1)) / 8;
}
