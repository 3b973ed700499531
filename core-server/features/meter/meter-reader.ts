import { createStopwatch } from '../../common/stopwatch.js';
import { decodeUpright } from '../../image/decode/decode.js';
import { readHeader } from '../../image/decode/open-picture.js';
import { type Resampling, scaledSize } from '../../image/picture.js';
import { assembleReading } from './assemble.js';
import type { CounterReader } from './counter-reading.js';
import { resized } from './geometry.js';
import type { PrintedReader } from './printed/printed-reader.js';
import { judgeLight, measureLight } from './read/counter-light.js';
import type { ReadMeterInput, ReadMeterOutput } from './task.js';

/** The task `readMeter`, for a worker. */
export interface MeterReader {
  /** @throws Refusal CORRUPT_IMAGE or IMAGE_TOO_MANY_PIXELS; `signal.reason` once the caller is gone */
  readMeter(input: ReadMeterInput, signal: AbortSignal): Promise<ReadMeterOutput>;
  /** Frees the networks' memory. */
  release(): Promise<void>;
}

/** Creates the task: open, decode, read the counter, assemble; on request, read the print around it. */
export function createMeterReader(counters: CounterReader, print: PrintedReader, now: () => number): MeterReader {
  return {
    async readMeter({ image, limits, checkBelow, known, printed }, signal) {
      const watch = createStopwatch(now);
      const timed = <T>(step: string, work: () => Promise<T>): Promise<T> => {
        signal.throwIfAborted();
        return watch.time(step, work);
      };

      const file = await timed('open', () => readHeader(image, limits));
      const upright = file.size;
      const decode = (maxSide: number, resampling?: Resampling) => {
        const scale = Math.min(1, maxSide / Math.max(upright.width, upright.height));
        return timed('decode', () => decodeUpright(file, scaledSize(upright, scale), resampling));
      };
      const picture = await decode(counters.maxSide, counters.resampling);
      const { reading: counter, timings: inNetworks } = await timed('counter', () =>
        counters.read(picture, known, signal),
      );
      const timings = () => ({ ...watch.timings, ...inNetworks });
      if (counter === null) return { reading: null, timings: timings() };
      const light = judgeLight(measureLight(picture, counter.quad));
      const facts = { picture: upright, copy: picture, light, checkBelow, known };
      const reading = assembleReading(counter, facts);
      if (!printed) return { reading, timings: timings() };

      const larger = await decode(print.maxSide);
      const quad = resized(counter.quad, picture, larger);
      const text = await timed('printed', () => print.read(larger, quad, signal));
      // What stands on the meter itself is seen, what the caller expects is not.
      const unit = text.unit || reading.unit;
      return { reading: { ...reading, unit, printed: text }, timings: timings() };
    },
    async release() {
      await Promise.all([counters.release(), print.release()]);
    },
  };
}
