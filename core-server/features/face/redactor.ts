import { refuseField } from '../../../runtime/errors/refusal.js';
import { createStopwatch, eachInTurn } from '../../common/stopwatch.js';
import { widened } from '../../image/crop.js';
import { decodeUpright } from '../../image/decode/decode.js';
import { openPicture } from '../../image/decode/open-picture.js';
import { encodePicture, maxFileBytes } from '../../image/encode.js';
import { type ImageFormat, imageFormats, isWithin, type Region, type Size, wholePixels } from '../../image/picture.js';
import { redactRegion } from '../../image/redact.js';
import { type FaceDetectorParts, findVisibleFaces } from './find-faces.js';
import type { RedactFacesInput, RedactFacesOutput } from './task.js';

/** WebP's sizes have 14 bits. */
const maxWebpSide = 2 ** 14 - 1;

/**
 * The worker's task: find, decode whole, hide, encode. When the signal is aborted, it stops before the next step.
 *
 * @throws Refusal CORRUPT_IMAGE or IMAGE_TOO_MANY_PIXELS; INVALID_FIELD for a result that its format or a response
 *   cannot hold
 */
export function createFaceRedactor(parts: FaceDetectorParts) {
  return async (
    { image, limits, minScore, style, margin, ...input }: RedactFacesInput,
    signal: AbortSignal,
  ): Promise<RedactFacesOutput> => {
    const { time: step, timings } = createStopwatch(signal);
    const picture = await step('open', () => openPicture(image, limits));
    const { size } = picture;
    const format = input.format ?? imageFormats.find((name) => name === image.type) ?? 'jpeg';
    assertFits(size, format);
    // A bystander behind a portrait is worth more than the time of another look.
    const faces = await findVisibleFaces(picture, minScore, parts, step, false);
    const whole = picture.decoded?.picture ?? (await step('decodeWhole', () => decodeUpright(picture, size)));
    const regions = faces.map(({ box }) => wholePixels(widened(box, margin), size));
    await eachInTurn(apart(regions), 'redact', step, (region) => redactRegion(whole, region, style));
    const file = await step('encode', () => encodePicture(whole, format));
    if (file.length > maxFileBytes) {
      const what = `${format}, which takes ${file.length} bytes here`;
      throw refuseFormat(what, `at most ${maxFileBytes} bytes, as by jpeg`, maxFileBytes);
    }
    return { ...size, file, format, faceCount: faces.length, timings };
  };
}

/** Those that lie within none before them, of which nothing is left to hide. */
function apart(regions: readonly Region[]): Region[] {
  const kept: Region[] = [];
  for (const region of regions) if (!kept.some((other) => isWithin(region, other))) kept.push(region);
  return kept;
}

function assertFits({ width, height }: Size, format: ImageFormat): void {
  if (format !== 'webp' || Math.max(width, height) <= maxWebpSide) return;
  throw refuseFormat(`webp, which has sides of at most ${maxWebpSide} pixels`, 'jpeg or png', maxWebpSide);
}

function refuseFormat(what: string, wish: string, limit: number): Error {
  return refuseField('INVALID_FIELD', 'format', `is ${what}, want ${wish}`, { limit });
}
