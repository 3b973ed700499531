import sharp, { type Sharp } from 'sharp';
import { inferFaces, readCandidates } from '../../core-server/features/face/candidates.js';
import {
  addGlance,
  overviewScale,
  planSecondLook,
  sameFaceOverlap,
  suffices,
} from '../../core-server/features/face/cascade.js';
import { chooseFaceModel } from '../../core-server/features/face/face-model.js';
import { type Candidate, suppress, toPicture } from '../../core-server/features/face/geometry.js';
import { maxPixelsDecodedOnce } from '../../core-server/image/decode/open-picture.js';
import { scaledSize, type Size, wholeOf } from '../../core-server/image/picture.js';
import type { Manifest } from '../../core-server/inference/models/manifest.js';
import { openSession } from './sessions.js';

const shrunk = { fit: 'fill', kernel: 'cubic' } as const;

/**
 * Finds out which looks the service's cascade takes at a picture; the replay decodes for them with
 * sharp and runs the networks. It reads no header, suppresses nothing, cuts no crop and turns no
 * picture: each that is measured has a sure face.
 */
export async function createFaceReplay(manifest: Manifest, folder: URL) {
  const { entry, rule } = chooseFaceModel(manifest);
  const session = await openSession(entry, folder);

  const run = (data: Uint8Array, { width, height }: Size) =>
    inferFaces(session, { data, width, height }, rule.weakScore);

  return async (file: Uint8Array): Promise<() => Promise<void>> => {
    const { width, height } = await sharp(file).metadata();
    const whole = wholeOf({ width, height });
    const usual = overviewScale(whole, rule);
    const overview = scaledSize(whole, usual);
    const miniature = scaledSize(whole, usual * rule.glanceScale);
    const lookAtWhole = async (size: Size): Promise<Candidate[]> => {
      const outputs = await run(await pixelsOf(sharp(file), size), size);
      return suppress(readCandidates(outputs), sameFaceOverlap).map((candidate) => toPicture(candidate, size, whole));
    };
    let found = await lookAtWhole(miniature);
    const isPortrait = suffices(found, whole, rule);
    if (!isPortrait) {
      found = addGlance(await lookAtWhole(overview), found, whole, rule);
    }
    const firstScale = isPortrait ? usual * rule.glanceScale : usual;
    const second = planSecondLook(found, whole, rule, firstScale);

    // As the service does: what is at most Full HD is decoded once, at its own size; of what is
    // larger, a copy that is shrunk while it is decoded and the part of the second look.
    const isSmall = width * height <= maxPixelsDecodedOnce;
    const base = isSmall ? { width, height } : overview;
    return async () => {
      const decoded = await pixelsOf(sharp(file), base);
      const shrunkOnce = await shrink(decoded, base, overview);
      await run(await shrink(shrunkOnce, overview, miniature), miniature);
      if (!isPortrait) await run(shrunkOnce, overview);
      if (second === undefined) return;
      const { region, zoom } = second;
      const from = isSmall ? sharp(decoded, { raw: { ...base, channels: 3 } }) : sharp(file);
      const size = scaledSize(region, zoom);
      await run(await pixelsOf(from.extract({ ...region }), size), size);
    };
  };
}

async function shrink(data: Uint8Array, from: Size, to: Size): Promise<Uint8Array> {
  if (from.width === to.width && from.height === to.height) return data;
  const { width, height } = from;
  return pixelsOf(sharp(data, { raw: { width, height, channels: 3 } }), to);
}

async function pixelsOf(picture: Sharp, { width, height }: Size): Promise<Uint8Array> {
  const resized = picture.resize(width, height, shrunk).removeAlpha().raw();
  return (await resized.toBuffer({ resolveWithObject: true })).data;
}
