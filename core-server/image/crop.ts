import { type Refusal, refuseField } from '../../runtime/errors/refusal.js';
import { eachInTurn, type Stopwatch } from '../common/stopwatch.js';
import { alignedBox, alignPixels } from './align.js';
import { decodeRegion } from './decode/decode.js';
import { encodePicture, maxFileBytes } from './encode.js';
import {
  type Box,
  type DecodedPart,
  type ImageFormat,
  isWithin,
  type OpenPicture,
  pixelsIn,
  type Point,
  type Region,
  scaledSize,
  type Size,
  wholePixels,
} from './picture.js';
import { resizePicture } from './resize/resize-picture.js';

/** How crops are cut and stored. */
export interface CropWish {
  /** Side in pixels of the square that the crop fits in; its own resolution if absent, and 112 if aligned. */
  readonly size?: number | undefined;
  /** Room on each side, as a share of the box's width and height, or of the aligned square. */
  readonly margin: number;
  readonly format: ImageFormat;
  /** Turned and scaled so that eyes, nose and mouth lie where recognition networks expect them, in a square. */
  readonly isAligned: boolean;
}

export interface Cuttable {
  readonly box: Box;
  readonly landmarks: readonly Point[];
}

/**
 * Room around a face on each side, as a share of its box: for any margin, and for the squares of closer looks, nearly twice
 * as wide as the box, however they are turned, and as far beside it as the points may lie.
 */
const surroundings = 1.5;
/** Side of an aligned crop, unless another is wished for. */
const alignedSide = 112;
/** Of all crops that are not plain: uncompressed they still fit in a message of 64 MiB. */
const maxCropPixels = 16_000_000;

/**
 * Crops each face from the picture: as a file without metadata, JPEG and WebP with quality 90, in the order of the
 * faces. Unless pixels of the source are decoded, the part that holds all of them is, once. Each face is a step: a thousand
 * take seconds.
 *
 * @throws Refusal CORRUPT_IMAGE; INVALID_FIELD if crops would be too large for a response
 */
export async function cropFaces(
  source: OpenPicture,
  faces: readonly Cuttable[],
  wish: CropWish,
  step: Stopwatch['time'],
): Promise<Uint8Array[]> {
  if (faces.length === 0) return [];
  const boxes = faces.map(({ box }) => widened(box, wish.margin));
  checkPixels(boxes, source.size, wish);
  const part = await step('crop', () => openAround(source, shownBoxes(faces, wish)));
  let bytes = 0;
  return eachInTurn(faces, 'crop', step, async (face) => {
    const crop = await cropFace(part, face, wish);
    bytes += crop.length;
    if (bytes > maxFileBytes) throw tooManyBytes();
    return crop;
  });
}

/** The picture with the part decoded that holds the faces, one at least, with their surroundings and most crops. */
export async function decodeAround(source: OpenPicture, faces: readonly Pick<Cuttable, 'box'>[]) {
  const boxes = faces.map(({ box }) => widened(box, surroundings));
  return { ...source, decoded: await openAround(source, boxes) };
}

/** The smallest region that contains all of them; there must be at least one. */
export function unionOf(regions: readonly Region[]): Region {
  const left = Math.min(...regions.map((r) => r.left));
  const top = Math.min(...regions.map((r) => r.top));
  const right = Math.max(...regions.map((r) => r.left + r.width));
  const bottom = Math.max(...regions.map((r) => r.top + r.height));
  return { left, top, width: right - left, height: bottom - top };
}

const squareOf = ({ size = alignedSide, margin }: CropWish) => ({ side: size, margin });

/** What the crops of the faces show. */
function shownBoxes(faces: readonly Cuttable[], wish: CropWish): Box[] {
  const aligned = ({ landmarks }: Cuttable) => (wish.isAligned ? alignedBox(landmarks, squareOf(wish)) : undefined);
  return faces.map((face) => aligned(face) ?? widened(face.box, wish.margin));
}

/** Decoded pixels that hold all boxes, one at least. */
async function openAround(source: OpenPicture, boxes: readonly Box[]): Promise<DecodedPart> {
  const around = unionOf(boxes.map((box) => wholePixels(box, source.size)));
  if (source.decoded && isWithin(around, source.decoded.around)) return source.decoded;
  return { picture: await decodeRegion(source, around), around };
}

/** @throws Refusal INVALID_FIELD */
function checkPixels(boxes: readonly Box[], size: Size, wish: CropWish): void {
  const isPlain = wish.size === undefined && wish.margin === 0 && wish.format === 'jpeg';
  if (isPlain && !wish.isAligned) return;
  const pixels = boxes.reduce((sum, box) => {
    const region = wish.isAligned ? { width: alignedSide, height: alignedSide } : wholePixels(box, size);
    const scale = wish.size === undefined ? 1 : wish.size / Math.max(region.width, region.height);
    const { width, height } = scaledSize(region, scale);
    return sum + width * height;
  }, 0);
  if (pixels <= maxCropPixels) return;
  const atFault = wish.size !== undefined ? 'crop_size' : wish.format === 'jpeg' ? 'margin' : 'crop_format';
  const clause = `makes crops of ${pixels} pixels, want at most ${maxCropPixels}: a smaller crop_size or fewer faces`;
  throw refuseField('INVALID_FIELD', atFault, clause, { limit: maxCropPixels });
}

/** Of a picture made for it, plain crops take so many; gRPC would end a bulk stream, with its other pictures, for one answer. */
function tooManyBytes(): Refusal {
  const clause = `makes crops of more than ${maxFileBytes} bytes, want fewer faces or a crop_size`;
  return refuseField('INVALID_FIELD', 'crop', clause, { limit: maxFileBytes });
}

/** A box with room on each side, as a share of its width and height; it may reach beyond the picture. */
export function widened({ xmin, ymin, xmax, ymax }: Box, margin: number): Box {
  const [x, y] = [(xmax - xmin) * margin, (ymax - ymin) * margin];
  return { xmin: xmin - x, ymin: ymin - y, xmax: xmax + x, ymax: ymax + y };
}

function cropFace(part: DecodedPart, { box, landmarks }: Cuttable, wish: CropWish): Promise<Uint8Array> {
  const square = squareOf(wish);
  const aligned = wish.isAligned ? alignPixels(part, landmarks, square) : undefined;
  if (aligned) return encodePicture(aligned.pixels, wish.format);
  const region = pixelsIn(part, widened(box, wish.margin));
  const side = wish.isAligned ? square.side : wish.size;
  if (side === undefined) return encodePicture(part.picture, wish.format, region);
  const size = scaledSize(region, side / Math.max(region.width, region.height));
  return encodePicture(resizePicture(part.picture, size, region), wish.format);
}
