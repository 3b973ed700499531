import { unsupportedImage } from '../../refuse-image.js';
import { assertFew, maxScans } from '../check-parts.js';
import type { Cursor } from '../cursor.js';
import { countContinuedScans } from '../jpeg-segments.js';
import { firstDirectory, type TiffDirectory } from './first-directory.js';

/** Fields by their tags (TIFF 6.0, sections 8, 15, 18 and 19), and what they are where a page has none. */
const fields = {
  /** Its lowest bit says that the page is a smaller copy of another. */
  subfileType: [254, 0],
  width: [256, 0],
  height: [257, 0],
  bitsPerSample: [258, 1],
  compression: [259, 1],
  photometric: [262, -1],
  samplesPerPixel: [277, 1],
  rowsPerStrip: [278, Infinity],
  planarConfiguration: [284, 1],
  tileWidth: [322, Infinity],
  tileLength: [323, Infinity],
  extraSamples: [338, 1],
  sampleFormat: [339, 1],
} as const;

/** The first value of each. */
type Page = Readonly<Record<keyof typeof fields, number>>;

/** StripByteCounts and TileByteCounts; of a page that has both, the later ones count. */
const byteCountTags = [279, 325];
/** Of the JPEGs of all strips or tiles (Adobe's TIFF Technical Note 2). */
const jpegTablesTag = 347;
/** Of YCbCr, across and down (TIFF 6.0, section 21). */
const subsamplingTag = 530;

/**
 * Refuses a TIFF that costs more than its pixels, or that libvips would show wrongly.
 *
 * @returns the bytes that its decoder takes for it
 * @throws Refusal UNSUPPORTED_IMAGE_TYPE or CORRUPT_IMAGE
 */
export function inspectTiff(file: Cursor): number {
  const directory = firstDirectory(file);
  // Without one, libtiff refuses the file.
  if (!directory) return 0;
  const page = readPage(directory);
  assertNoPreview(page);
  assertKnownCompression(page);
  assertKnownSamples(page, directory.get(subsamplingTag)?.values() ?? []);
  // Each byte of a strip or tile is a step: libtiff copies it, and its decoder may look at all of them. Thousands may
  // share the same megabyte, of which a decoder takes a millisecond each.
  for (const tag of byteCountTags)
    for (const count of directory.get(tag)?.values() ?? []) file.step(Math.min(count, file.length));
  assertFew('tiff', 'strips or tiles, or rows of them in CCITT or PackBits', countDecoded(page), maxDecoded);
  if (page.compression === inJpeg) {
    assertFew('tiff', 'scans in a strip or tile', countContinuedScans(file, maxScans), maxScans);
    assertFew('tiff', 'bytes in its JPEG tables', directory.get(jpegTablesTag)?.count ?? 0, maxTableBytes);
  }
  return bytesOf(page);
}

function readPage(directory: TiffDirectory): Page {
  const values = Object.entries(fields).map(([name, [tag, absent]]): [string, number] => {
    const [first = absent] = directory.get(tag)?.values() ?? [];
    return [name, first];
  });
  return Object.fromEntries(values) as Page;
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

const isTiled = ({ tileWidth }: Page): boolean => tileWidth < Infinity;

/** Strips or tiles, or rows of them where the decoder goes by rows. */
function countDecoded(page: Page): number {
  const across = isTiled(page) ? Math.ceil(page.width / page.tileWidth) : 1;
  const rows = isTiled(page) ? page.tileLength : page.rowsPerStrip;
  return across * Math.ceil(page.height / (byRow.includes(page.compression) ? 1 : rows));
}

/** Camera raw files, such as DNG and NEF, are TIFFs that begin with a preview of a few hundred pixels. */
function assertNoPreview({ subfileType }: Page): void {
  if ((subfileType & 1) === 0) return;
  const what = 'is a TIFF that begins with a preview, as camera raw files do, want it converted to JPEG';
  throw unsupportedImage('tiff', what);
}

function assertKnownCompression(page: Page): void {
  const { compression } = page;
  const isTall = !isTiled(page) && Math.min(page.rowsPerStrip, page.height) > maxPackedRows;
  if (compressions.includes(compression) && !(compression === packBits && isTall)) return;
  const wish = `want none, CCITT, LZW, JPEG, deflate or, in strips of at most ${maxPackedRows} rows, PackBits`;
  throw unsupportedImage('tiff', `is a TIFF with compression ${compression}, ${wish}`);
}

/** YCbCr, as the photometric interpretation. */
const inYcc = 6;
/** How many channels each has of the colours that libvips shows rightly: grey, RGB, palette, CMYK and YCbCr. */
const channelsOf: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 3, 3: 1, 5: 4, [inYcc]: 3 };

/**
 * Unsigned whole numbers of 1 to 16 bits, of 8 or 16 where there are several channels, which stand side by side; beside the
 * colours, alpha alone; YCbCr where libtiff makes RGB of it. libvips refuses most others as if they were damaged, or shows
 * them without an error, but wrong, such as all black or white, or brightness as red.
 */
function assertKnownSamples(page: Page, [across, down]: Iterable<number>): void {
  const { photometric, bitsPerSample, samplesPerPixel: samples } = page;
  // Without it, libvips refuses the file.
  if (photometric < 0) return;
  const channels = channelsOf[photometric];
  const isMadeRgb = across !== 1 || down !== 1 || page.compression === inJpeg;
  const isKnown =
    channels !== undefined &&
    ![2, 3, 5, 6].includes(page.sampleFormat) &&
    (samples > 1 ? [8, 16] : [1, 2, 4, 8, 16]).includes(bitsPerSample) &&
    (samples <= channels || (samples === channels + 1 && page.extraSamples !== 0)) &&
    page.planarConfiguration !== 2 &&
    (photometric !== inYcc || isMadeRgb);
  if (isKnown) return;
  const what = 'is a TIFF of rare colours, channels or numbers, want grey, RGB or CMYK of 8 or 16 bits, side by side';
  throw unsupportedImage('tiff', what);
}

/**
 * Bytes that libvips takes for a TIFF that has tall tiles or is turned: all its pixels, at their own depth, and up to one
 * channel more. Others take less, but are seldom large.
 */
function bytesOf({ width, height, samplesPerPixel, bitsPerSample }: Page): number {
  // Without a width or a height, libtiff refuses the file.
  return (width * height * (samplesPerPixel + 1) * bitsPerSample) / 8;
}
