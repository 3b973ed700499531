import { decodeUpright } from '../image/decode.js';
import { readUprightSize } from '../image/header.js';
import { scaledSize } from '../image/picture.js';
import { assembleReading } from './assemble.js';
import { judgeLight, measureLight } from './counter-light.js';
import type { CounterReader } from './counter-reading.js';
import type { ReadMeterInput, ReadMeterOutput } from './reader.js';

/** The task `readMeter`, for a worker. */
export interface MeterReader {
  /** Throws CORRUPT_IMAGE and IMAGE_TOO_MANY_PIXELS; `signal.reason` once the caller is gone. */
  readMeter(input: ReadMeterInput, signal: AbortSignal): Promise<ReadMeterOutput>;
  /** Gives the networks' memory back. */
  release(): Promise<void>;
}

/** Makes the task of counter readers: the first one that finds a counter answers. */
export function createMeterReader(readers: readonly CounterReader[]): MeterReader {
  return {
    async readMeter({ image, limits, checkBelow }, signal) {
      const timings: Record<string, number> = {};
      const timed = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
        signal.throwIfAborted();
        const start = performance.now();
        const result = await work();
        timings[step] = (timings[step] ?? 0) + performance.now() - start;
        return result;
      };

      const upright = await readUprightSize(image, limits);
      for (const reader of readers) {
        const longer = Math.max(upright.width, upright.height);
        const size = scaledSize(upright, Math.min(1, reader.maxSide / longer));
        const picture = await timed('decode', () => decodeUpright(image, size));
        const counter = await timed(reader.name, () => reader.read(picture, signal));
        if (counter === null) continue;
        const light = judgeLight(measureLight(picture, counter.quad));
        const scale = size.width / upright.width;
        const facts = { picture: upright, scale, light, checkBelow };
        return { reading: assembleReading(counter, facts), timings };
      }
      return { reading: null, timings };
    },
    async release() {
      await Promise.all(readers.map((reader) => reader.release()));
    },
  };
}
