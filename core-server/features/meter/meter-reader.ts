import { createStopwatch } from '../../common/stopwatch.js';
import { decodeUpright } from '../../image/decode/decode.js';
import { readHeader } from '../../image/decode/open-picture.js';
import { type Resampling, scaledSize } from '../../image/picture.js';
import type { ModelEntry } from '../../inference/models/manifest.js';
import { openModel } from '../../inference/models/sessions.js';
import { assembleReading } from './assemble.js';
import { resized } from './geometry.js';
import type { MeterModel } from './meter-model.js';
import { type CounterReader, createNetworkCounterReader } from './network-counter-reader.js';
import { createPrintedReader, type PrintedReader } from './printed/printed-reader.js';
import { lightOf } from './read/counter-light.js';
import { withinBars } from './read/within-bars.js';
import { asInTraining } from './run-on-quads.js';
import type { ReadMeterInput, ReadMeterOutput } from './task.js';

/** The task with its networks. @param now clock that times the steps, milliseconds; by default the monotonic one */
export async function openMeterReader(model: MeterModel, folder: URL, now?: () => number) {
  const open = (entry: ModelEntry) => openModel(entry, folder, { memory: 'given-back' });
  const [locate, refine, read, mark] = await Promise.all([
    open(model.locate),
    open(model.refine),
    open(model.read),
    open(model.mark),
  ]);
  const counters = createNetworkCounterReader({ locate, refine, read, mark }, model.rules);
  return createMeterReader(counters, createPrintedReader(), now);
}

/** Creates the task: open, decode, read the counter, assemble; on request, read the print around it. */
export function createMeterReader(counters: CounterReader, print: PrintedReader, now?: () => number) {
  return {
    /** @throws Refusal CORRUPT_IMAGE or IMAGE_TOO_MANY_PIXELS; `signal.reason` once the caller is gone */
    async readMeter(
      { image, limits, checkBelow, known, printed, evidence = false }: ReadMeterInput,
      signal: AbortSignal,
    ): Promise<ReadMeterOutput> {
      const { time, timings } = createStopwatch(signal, now);

      const file = await time('open', () => readHeader(image, limits));
      const upright = file.size;
      const decode = (maxSide: number, resampling?: Resampling) => {
        const scale = Math.min(1, maxSide / Math.max(upright.width, upright.height));
        return time('decode', () => decodeUpright(file, scaledSize(upright, scale), resampling));
      };
      const picture = await decode(counters.maxSide, asInTraining);
      const seen = await time('counter', () => counters.read(picture, known, time));
      if (seen === null) return { reading: null, timings };
      const { counter } = seen;
      const copy = { width: picture.width, height: picture.height };
      const facts = { picture: upright, copy, shown: withinBars(picture), light: lightOf(picture, counter.quad) };
      const reading = assembleReading(counter, { ...facts, checkBelow, known });
      if (evidence) return { reading, evidence: { ...seen, ...facts }, timings };
      if (!printed) return { reading, timings };

      const larger = await decode(print.maxSide);
      const quad = resized(counter.quad, picture, larger);
      const text = await time('printed', () => print.read(larger, quad, signal));
      // What stands on the meter itself is seen, what the caller expects is not.
      const unit = text.unit || reading.unit;
      return { reading: { ...reading, unit, printed: text }, timings };
    },
    async release() {
      await Promise.all([counters.release(), print.release()]);
    },
  };
}
