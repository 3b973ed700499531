import sharp, { type Sharp } from 'sharp';
import type { OpenPicture, QuarterTurns, Region, Resampling, RgbPicture, Size } from '../picture.js';
import { corruptImage } from '../refuse-image.js';

interface Decodable extends Pick<OpenPicture, 'bytes' | 'type' | 'size' | 'usesProfile'> {
  /** After these, libvips gives up, so that its thread is free again; by default as long as a caller waits at most. */
  readonly maxSeconds?: number;
}

/**
 * Decodes the first page, upright, at the given size, in one go: a JPEG or WebP that is much larger is scaled down
 * while loading, which costs less than decoding it whole. Of a JPEG, libvips leaves out what is then no whole pixel at
 * two edges, up to 7 pixels, and the rest is stretched: where that could be, it is scaled down half as far. Read the header
 * first: nothing here limits the memory.
 *
 * @throws Refusal CORRUPT_IMAGE
 */
export async function decodeUpright(file: Decodable, size: Size, kernel: Resampling = 'cubic'): Promise<RgbPicture> {
  const isOdd = file.type === 'jpeg' && (file.size.width % 8 !== 0 || file.size.height % 8 !== 0);
  const whole = open(file).resize(size.width, size.height, { fit: 'fill', kernel, fastShrinkOnLoad: !isOdd });
  return toRgb(whole, file);
}

/** Decodes a part of the first page, upright, at the given size (default: its own). @throws Refusal CORRUPT_IMAGE */
export async function decodeRegion(file: Decodable, region: Region, size: Size = region): Promise<RgbPicture> {
  const part = open(file).extract({ ...region });
  return toRgb(part.resize(size.width, size.height, { fit: 'fill', kernel: 'cubic' }), file);
}

export function turnPicture(picture: RgbPicture, turns: QuarterTurns): Promise<RgbPicture> {
  return toPixels(sharpOf(picture).rotate(turns * 90));
}

export function mirrorPicture(picture: RgbPicture): Promise<RgbPicture> {
  return toPixels(sharpOf(picture).flop());
}

/** Decoded pixels for sharp to go on with. */
export function sharpOf({ data, width, height }: RgbPicture): Sharp {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

function open({ bytes, type, usesProfile, maxSeconds = 30 }: Decodable): Sharp {
  // Truncated files fail: half a picture would silently lack faces. Minor damage passes, since ordinary phones
  // produce it (stray bytes between markers, broken EXIF, garbage after the end). Of a TIFF, libvips reports whatever
  // it cannot read as an error only, and goes on with black.
  const failOn = type === 'tiff' ? 'error' : 'truncated';
  const options = { failOn, limitInputPixels: false, autoOrient: true, ignoreIcc: !usesProfile } as const;
  return sharp(bytes, options).timeout({ seconds: maxSeconds });
}

async function toRgb(pipeline: Sharp, { usesProfile }: Decodable): Promise<RgbPicture> {
  // Cut-out portraits are meant for a light page; on black, dark hair would vanish.
  const flat = pipeline.flatten({ background: '#ffffff' }).toColourspace('srgb');
  // By a profile, sharp turns 16 bits to Display P3 and leaves them there.
  const opaque = usesProfile ? flat.withIccProfile('srgb', { attach: false }) : flat;
  const picture = await toPixels(opaque).catch((error: unknown) => {
    throw corruptImage(error);
  });
  const channels = picture.data.length / (picture.width * picture.height);
  // Of a TIFF, such as one of grey and three channels more.
  if (channels !== 3) throw corruptImage(new Error(`decoded ${channels} channels, want 3`));
  return picture;
}

async function toPixels(pipeline: Sharp): Promise<RgbPicture> {
  const { data, info } = await pipeline.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}
