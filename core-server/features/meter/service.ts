import {
  type MeterReadingServiceServer,
  ReadingStatus,
  ReadingWarning,
} from '../../../generated/imageanalysis/v1/meter_reading.js';
import type { ModelInfo } from '../../../generated/imageanalysis/v1/model.js';
import { refuse } from '../../../runtime/errors/refusal.js';
import type { Call } from '../../common/call.js';
import type { Handlers } from '../../common/handlers.js';
import { preparePicture } from '../../image/inspect/receive-picture.js';
import type { ImageLimits } from '../../image/picture.js';
import type { WorkerPool } from '../../inference/pool/worker-pool.js';
import type { MeterTasks } from './task.js';
import { validateKnownMeter } from './validate.js';

/** Handlers of MeterReadingService. */
export function createMeterReadingHandlers(deps: {
  readonly pool: Pick<WorkerPool<MeterTasks>, 'run'>;
  readonly limits: ImageLimits;
  /** Readings below this confidence get the status CHECK, 0..1. */
  readonly checkBelow: number;
  /** The network that reads digits. */
  readonly model: ModelInfo;
}): Handlers<MeterReadingServiceServer, [call: Call]> {
  const { pool, limits, checkBelow, model } = deps;
  return {
    /**
     * Reads one photo.
     *
     * @throws Refusal NO_READING if there is no readable counter, what `validateKnownMeter`, `preparePicture` and
     *   decoding refuse, and what the pool refuses
     */
    async readMeter(request, call) {
      const known = validateKnownMeter(request);
      const { image, transfer } = preparePicture(request.image, limits);
      const { reading, timings } = await pool.run(
        'readMeter',
        { image, checkBelow, known, printed: request.serialNumber ?? false, limits },
        { ...call, transfer },
      );
      call.log.debug({ timings, found: reading !== null }, 'meter read');
      if (reading === null) {
        throw refuse('NO_READING', 'image shows no counter that can be read, try a sharp photo of its wheels', {
          details: { field: 'image' },
        });
      }
      const { alternatives, details, polygon, digits, ...rest } = reading;
      return {
        ...rest,
        status: ReadingStatus[rest.status],
        warnings: rest.warnings.map((name) => ReadingWarning[name]),
        ...(request.alternatives && { alternatives: { readings: alternatives } }),
        ...(request.details
          ? { details: { ...details, model }, polygon, digits }
          : { polygon: [], digits: digits.map((digit) => ({ ...digit, polygon: [] })) }),
      };
    },
  };
}
