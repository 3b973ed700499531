import sharp from 'sharp';
import { createCascade } from '../../core-server/features/face/cascade.js';
import { servedFaceModel } from '../../core-server/features/face/face-model.js';
import { type Candidate, suppress, toPicture } from '../../core-server/features/face/geometry.js';
import { inferFaces, readCandidates } from '../../core-server/features/face/sight.js';
import { tilesOf } from '../../core-server/features/face/tiles.js';
import { decodeRegion, decodeUpright, mirrorPicture } from '../../core-server/image/decode/decode.js';
import { maxPixelsDecodedOnce } from '../../core-server/image/decode/open-picture.js';
import { decodePlainJpeg } from '../../core-server/image/decode/plain-jpeg.js';
import { type RgbPicture, scaledSize, wholeOf } from '../../core-server/image/picture.js';
import { copyRegion } from '../../core-server/image/resize/copy-region.js';
import { resizePicture } from '../../core-server/image/resize/resize-picture.js';
import type { Manifest } from '../../core-server/inference/models/manifest.js';
import { openSession } from './sessions.js';

/**
 * Finds out which looks the service's cascade takes at a picture; the replay decodes and resizes for them as fast as is
 * known here, which is the service's own code, and runs the networks. It reads no header, suppresses nothing, cuts no
 * crop and turns no picture: each that is measured has a sure face.
 */
export async function createFaceReplay(manifest: Manifest, folder: URL) {
  const { entry, rule } = servedFaceModel(manifest);
  const runModel = await openSession(entry, folder);
  const run = (pixels: RgbPicture) => inferFaces(runModel, pixels, rule.weakScore);
  const runTiles = async (pixels: RgbPicture): Promise<void> => {
    for (const tile of tilesOf(pixels)) await run(copyRegion(pixels, tile.region));
  };

  return async (bytes: Uint8Array): Promise<() => Promise<void>> => {
    const { width, height } = await sharp(bytes).metadata();
    const size = { width, height };
    const file = { bytes, type: 'jpeg', size, usesProfile: false } as const;
    const cascade = createCascade(rule, size);
    const { overviewScale, glanceScale } = cascade;
    const overviewSize = scaledSize(size, overviewScale);
    const miniatureSize = scaledSize(size, glanceScale);

    // As the service does: what is at most Full HD is decoded once, at its own size; of what is larger, a copy that is
    // shrunk while it is decoded, and the part of the second look.
    const isSmall = width * height <= maxPixelsDecodedOnce;
    const decode = async () => {
      const whole = isSmall
        ? (decodePlainJpeg(bytes, maxPixelsDecodedOnce) ?? (await decodeUpright(file, size)))
        : undefined;
      const overview = whole ? resizePicture(whole, overviewSize) : await decodeUpright(file, overviewSize);
      return { whole, overview, miniature: resizePicture(overview, miniatureSize) };
    };

    const { overview, miniature } = await decode();
    const lookAt = async (pixels: RgbPicture): Promise<Candidate[]> =>
      toPicture(suppress(readCandidates(await run(pixels))), pixels, wholeOf(size));
    let found = await lookAt(miniature);
    const isPortrait = cascade.suffices(found);
    if (!isPortrait) found = cascade.addGlance(await lookAt(overview), found);
    const second = cascade.planSecondLook(found, isPortrait ? glanceScale : overviewScale);

    return async () => {
      const { whole, overview, miniature } = await decode();
      await run(miniature);
      if (!isPortrait) await run(overview);
      if (second === undefined) return;
      const { region, zoom } = second;
      const secondSize = scaledSize(region, zoom);
      const detail = whole ? resizePicture(whole, secondSize, region) : await decodeRegion(file, region, secondSize);
      await runTiles(detail);
      if (rule.mirrorScale === 0) return;
      await runTiles(await mirrorPicture(resizePicture(detail, scaledSize(secondSize, rule.mirrorScale))));
    };
  };
}
