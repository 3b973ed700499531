import type { BoundingBox, ImageSize, Point as PointMessage } from '../../generated/imageanalysis/v1/geometry.js';
import type { ImageType } from './inspect/sniff-type.js';

/** Width and height in whole pixels. */
export type Size = Readonly<ImageSize>;

/** A part of a picture in whole pixels. */
export interface Region extends Size {
  readonly left: number;
  readonly top: number;
}

/** A point in pixels; x to the right, y down. */
export type Point = Readonly<PointMessage>;

/** A box in pixels of the upright picture; its sides are parallel to the picture's. */
export type Box = Readonly<BoundingBox>;

/** Decoded pixels: sRGB, one byte per channel, [height][width][3], no padding between rows. */
export interface RgbPicture extends Size {
  readonly data: Uint8Array;
}

export interface ImageLimits {
  /** Bytes of the file. */
  readonly maxBytes: number;
  /** Width × height, from the header. */
  readonly maxPixels: number;
  /** Width or height in pixels, from the header. */
  readonly maxSide: number;
  readonly decodesHeic?: boolean;
}

export interface ImageFile {
  readonly bytes: Uint8Array;
  /** What its first bytes say. */
  readonly type: ImageType;
}

export interface DecodedPart {
  readonly picture: RgbPicture;
  /** Which region of the whole picture it is. */
  readonly around: Region;
}

/** A picture file whose header was read. */
export interface OpenPicture extends ImageFile {
  /** Whether its colour profile is applied; otherwise its colours are assumed to be sRGB or a common print profile. */
  readonly usesProfile: boolean;
  /** Of the upright picture. */
  readonly size: Size;
  /** The whole picture, if decoding it once costs less than decoding its parts; else the part that is looked at again. */
  readonly decoded?: DecodedPart | undefined;
}

// Here, and not beside what encodes and hides: the main thread checks requests by them, and loads no image library.

/** The formats that pictures are stored in. */
export const imageFormats = ['jpeg', 'png', 'webp'] as const;
export type ImageFormat = (typeof imageFormats)[number];

/** The ways to hide a part of a picture. */
export const redactionStyles = ['blur', 'pixelate', 'box'] as const;
export type RedactionStyle = (typeof redactionStyles)[number];

/** Quarters of a turn, clockwise. */
export type QuarterTurns = 0 | 1 | 2 | 3;

/**
 * The kernel for resizing: `cubic` is best for finding faces of every size; `linear` is closest to the area
 * averages with which training scales pictures down.
 */
export type Resampling = 'cubic' | 'linear';

/** A size times a scale, in whole pixels, one at least. */
export function scaledSize(size: Size, scale: number): Size {
  return { width: Math.max(1, Math.round(size.width * scale)), height: Math.max(1, Math.round(size.height * scale)) };
}

/** The box in whole pixels: edges rounded, inside the picture, at least one pixel wide and high. */
export function wholePixels(box: Box, size: Size): Region {
  const left = Math.min(Math.max(0, Math.round(box.xmin)), size.width - 1);
  const top = Math.min(Math.max(0, Math.round(box.ymin)), size.height - 1);
  const right = Math.min(Math.max(left + 1, Math.round(box.xmax)), size.width);
  const bottom = Math.min(Math.max(top + 1, Math.round(box.ymax)), size.height);
  return { left, top, width: right - left, height: bottom - top };
}

/** The box of the picture in whole pixels of its part: clamped to it, at least one pixel wide and high. */
export function pixelsIn({ picture, around: { left, top } }: DecodedPart, { xmin, ymin, xmax, ymax }: Box): Region {
  return wholePixels({ xmin: xmin - left, ymin: ymin - top, xmax: xmax - left, ymax: ymax - top }, picture);
}

export function isWithin(inner: Region, outer: Region): boolean {
  return (
    inner.left >= outer.left &&
    inner.top >= outer.top &&
    inner.left + inner.width <= outer.left + outer.width &&
    inner.top + inner.height <= outer.top + outer.height
  );
}

/** The region that is the whole picture. */
export function wholeOf({ width, height }: Size): Region {
  return { left: 0, top: 0, width, height };
}
