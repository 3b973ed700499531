/** Width and height in whole pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A part of a picture in whole pixels. */
export interface Region extends Size {
  readonly left: number;
  readonly top: number;
}

/** Decoded pixels: sRGB, one byte a channel, [height][width][3], no padding between rows. */
export interface RgbPicture extends Size {
  readonly data: Uint8Array;
}

/** The size that a picture of `size` has once its longer side is at most `maxSide`; never larger than it is. */
export function boundedSize(size: Size, maxSide: number): Size {
  const scale = Math.min(1, maxSide / Math.max(size.width, size.height));
  return {
    width: Math.max(1, Math.round(size.width * scale)),
    height: Math.max(1, Math.round(size.height * scale)),
  };
}
