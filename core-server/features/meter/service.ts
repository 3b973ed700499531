import {
  type MeterReadingServiceServer,
  ReadingStatus,
  ReadingWarning,
  type ReadMeterRequest,
  type ReadMeterResponse,
} from '../../../generated/imageanalysis/v1/meter_reading.js';
import type { ModelInfo } from '../../../generated/imageanalysis/v1/model.js';
import type { Call } from '../../common/call.js';
import type { Handlers } from '../../common/handlers.js';
import { receivePicture } from '../../image/inspect/receive-picture.js';
import type { ImageFile, ImageLimits } from '../../image/picture.js';
import { refuseImage } from '../../image/refuse-image.js';
import type { WorkerPool } from '../../inference/pool/worker-pool.js';
import { readPhotos } from './photos/read-photos.js';
import type { MeterReading, MeterTasks, PhotoEvidence, ReadMeterInput } from './task.js';
import { validateKnownMeter, validatePhotos } from './validate.js';

export function createMeterReadingHandlers(deps: {
  readonly pool: Pick<WorkerPool<MeterTasks>, 'run'>;
  readonly limits: ImageLimits;
  /** Readings below this confidence get the status CHECK, 0..1. */
  readonly checkBelow: number;
  /** The network that reads digits. */
  readonly model: ModelInfo;
}): Handlers<MeterReadingServiceServer, [call: Call]> {
  const { pool, limits, checkBelow, model } = deps;

  const receive = (bytes: Uint8Array) => receivePicture(bytes, limits);

  /** @throws Refusal NO_READING, and what decoding and the pool refuse */
  const readPhoto = async (
    image: ImageFile,
    call: Call,
    wish: Pick<ReadMeterInput, 'known' | 'printed' | 'evidence'>,
  ) => {
    const { reading, evidence, timings } = await pool.run('readMeter', { image, checkBelow, limits, ...wish }, call);
    call.log.debug({ timings, found: reading !== null }, 'meter read');
    if (reading === null)
      throw refuseImage('NO_READING', 'shows no counter that can be read, try a sharp photo of its wheels');
    return { reading, evidence };
  };

  return {
    /** Reads one photo. @throws Refusal what `validateKnownMeter`, `receivePicture` and `readPhoto` refuse */
    async readMeter(request, call) {
      const known = validateKnownMeter(request);
      const wish = { known, printed: request.serialNumber ?? false };
      const { reading } = await readPhoto(receive(request.image), call, wish);
      return toResponse(reading, request, model);
    },

    /** Reads photos of one meter as one. @throws Refusal what validating them and `readPhotos` refuse */
    async fuseMeterReadings(request, call) {
      const known = validateKnownMeter(request);
      validatePhotos(request);
      const wish = { known, printed: false, evidence: true };
      // The same file again says nothing more: it is read once.
      const originals = request.images.map(
        (image) => request.images.find((other) => Buffer.compare(image, other) === 0) ?? image,
      );
      const images = [...new Set(originals)];
      const each = await readPhotos(images, call, receive, (picture, own) => readPhoto(picture, own, wish));
      const photos = originals.map((original) => each[images.indexOf(original)] as (typeof each)[number]);
      const read = each.filter((photo) => 'evidence' in photo);
      const evidence = read.map((photo) => photo.evidence as PhotoEvidence);
      const input = { photos: evidence, checkBelow, known };
      const fused = await pool.run('fuseReadings', input, { ...call, wait: 'queue' });
      return {
        reading: toResponse(fused.reading, request, model),
        bestPhoto: photos.findIndex((photo) => photo === read[fused.best]),
        photos: photos.map((photo) => {
          if ('refusal' in photo) return { agrees: false, warnings: [], refusal: photo.refusal };
          const { value, confidence, status, warnings } = toEnums(photo.reading);
          return { agrees: fused.agrees[read.indexOf(photo)] ?? false, value, confidence, status, warnings };
        }),
      };
    },
  };
}

/** What the request asks for of a reading. */
function toResponse(
  reading: MeterReading,
  request: Pick<ReadMeterRequest, 'alternatives' | 'details'>,
  model: ModelInfo,
): ReadMeterResponse {
  const { alternatives, details, polygon, digits, ...rest } = toEnums(reading);
  return {
    ...rest,
    ...(request.alternatives && { alternatives: { readings: alternatives } }),
    ...(request.details
      ? { details: { ...details, model }, polygon, digits }
      : { polygon: [], digits: digits.map((digit) => ({ ...digit, polygon: [] })) }),
  };
}

function toEnums({ status, warnings, ...rest }: MeterReading) {
  return { ...rest, status: ReadingStatus[status], warnings: warnings.map((name) => ReadingWarning[name]) };
}
