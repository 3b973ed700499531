import sharp, { type Sharp } from 'sharp';
import { inferFaces, readCandidates } from '../../core-server/face/candidates.js';
import {
  addGlance,
  firstScale,
  overviewScale,
  planSecondLook,
} from '../../core-server/face/cascade.js';
import { suppress, toPicture, type Candidate } from '../../core-server/face/geometry.js';
import { faceModelOf } from '../../core-server/face/face-model.js';
import { scaledSize, wholeOf, type Region, type Size } from '../../core-server/image/picture.js';
import type { Manifest } from '../../core-server/inference/manifest.js';
import { openSession } from './sessions.js';

/** What the network looks at: a part of the picture at a size. */
interface Look {
  readonly region: Region;
  readonly size: Size;
}

const stride = 32;
/** As in the service: up to Full HD one decode serves both looks. */
const mostPixelsDecodedOnce = 1920 * 1080;
const sameFaceOverlap = 0.45;

/**
 * Finds out which looks the service's cascade takes at a picture; the replay decodes for them with
 * sharp and runs the networks. It reads no header, suppresses nothing and cuts no crop.
 */
export async function createFaceReplay(manifest: Manifest, folder: URL) {
  const { entry, rule } = faceModelOf(manifest);
  const session = await openSession(entry, folder);

  const run = async (pixels: Sharp | Uint8Array, { width, height }: Size) => {
    const right = Math.ceil(width / stride) * stride - width;
    const bottom = Math.ceil(height / stride) * stride - height;
    if (pixels instanceof Uint8Array && right + bottom === 0) {
      return inferFaces(session, { data: pixels, width, height }, rule.weakScore);
    }
    const opened =
      pixels instanceof Uint8Array
        ? sharp(pixels, { raw: { width, height, channels: 3 } })
        : pixels.removeAlpha();
    const { data, info } = await opened
      .extend({ right, bottom, background: '#000' })
      .raw()
      .toBuffer({ resolveWithObject: true });
    return inferFaces(session, { data, width: info.width, height: info.height }, rule.weakScore);
  };

  return async (file: Uint8Array): Promise<() => Promise<void>> => {
    const { width, height } = await sharp(file).metadata();
    const whole = wholeOf({ width, height });
    const usual = overviewScale(whole, rule);
    const looks: Look[] = [];
    const lookAtWhole = async (scale: number): Promise<Candidate[]> => {
      const size = scaledSize(whole, scale);
      looks.push({ region: whole, size });
      const pixels = sharp(file).resize(size.width, size.height, { fit: 'fill' }).removeAlpha();
      return suppress(readCandidates(await run(pixels, size)), sameFaceOverlap).map((candidate) =>
        toPicture(candidate, size, whole),
      );
    };
    const glance = await lookAtWhole(usual * rule.glanceScale);
    const scale = firstScale(glance, whole, rule);
    const first = await lookAtWhole(scale);
    const found = addGlance(first, glance, whole, rule, sameFaceOverlap);
    const second = planSecondLook(found, whole, rule, scale);
    if (second) {
      looks.push({ region: second.region, size: scaledSize(second.region, second.zoom) });
    }

    // As the service does: what is at most Full HD is decoded once, at its own size; of what is
    // larger, a copy that is shrunk while it is decoded and the part of the second look.
    const isSmall = width * height <= mostPixelsDecodedOnce;
    const base = isSmall ? { width, height } : scaledSize(whole, usual);
    return async () => {
      const { data } = await sharp(file)
        .resize(base.width, base.height, { fit: 'fill' })
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      const decoded = sharp(data, { raw: { ...base, channels: 3 } });
      for (const { region, size } of looks) {
        const isPart = region.width < width || region.height < height;
        const from = isPart && !isSmall ? sharp(file) : decoded.clone();
        const part = isPart ? from.extract({ ...region }) : from;
        const isSame = !isPart && size.width === base.width && size.height === base.height;
        await run(isSame ? data : part.resize(size.width, size.height, { fit: 'fill' }), size);
      }
    };
  };
}
