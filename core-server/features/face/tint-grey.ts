import type { RgbPicture } from '../../image/picture.js';

/** Difference between the channels of a grey pixel at most: cameras and codecs leave a little. */
const mostSpread = 12;

/** Share of coloured pixels in a grey picture at most: it may have a caption in colours. */
const colouredShare = 0.01;

/** What red, green and blue of a middle grey are given, of 255; black and white stay as they are. */
const shares = [0.08, -0.01, -0.07];

const [reds, greens, blues] = shares.map((given) =>
  Uint8Array.from({ length: 256 }, (_, value) => Math.round(value + 4 * value * (1 - value / 255) * given)),
) as [Uint8Array, Uint8Array, Uint8Array];

/**
 * A copy of a grey picture in the colours of skin, by which the networks know faces: in pictures without colours they
 * find fewer (models/face/README.md). A picture with colours is returned itself. `models/face/tint.py` is the same rule
 * for training.
 */
export function tintGrey(picture: RgbPicture): RgbPicture {
  if (!isGrey(picture)) return picture;
  const data = Uint8Array.from(picture.data);
  for (let i = 0; i < data.length; i += 3) {
    data[i] = reds[data[i] ?? 0] ?? 0;
    data[i + 1] = greens[data[i + 1] ?? 0] ?? 0;
    data[i + 2] = blues[data[i + 2] ?? 0] ?? 0;
  }
  return { ...picture, data };
}

function isGrey({ data, width, height }: RgbPicture): boolean {
  let left = Math.floor(colouredShare * width * height);
  for (let i = 0; i < data.length; i += 3) {
    const red = data[i] ?? 0;
    const green = data[i + 1] ?? 0;
    const blue = data[i + 2] ?? 0;
    const spread = Math.max(red, green, blue) - Math.min(red, green, blue);
    if (spread > mostSpread && --left < 0) return false;
  }
  return true;
}
