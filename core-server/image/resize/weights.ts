import type { Resampling } from '../picture.js';

/** Of which samples each result along one side is the weighted sum. */
interface Weights {
  /** Samples per result; past the end of a side that has fewer, weights are 0. */
  readonly taps: number;
  /** First sample of each result. */
  readonly starts: Uint32Array;
  /** [result][tap]; those of a result add up to `one`. */
  readonly values: Int16Array;
}

/** Weights have 14 bits after the binary point. */
const one = 2 ** 14;

interface Kernel {
  readonly radius: number;
  /** Weight at a distance of 0 or more, in samples of the smaller side. */
  readonly weightAt: (distance: number) => number;
}

const kernels: Readonly<Record<Resampling, Kernel>> = {
  /** Catmull-Rom. */
  cubic: {
    radius: 2,
    weightAt: (x) => {
      if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
      return x < 2 ? ((2.5 - 0.5 * x) * x - 4) * x + 2 : 0;
    },
  },
  linear: { radius: 1, weightAt: (x) => Math.max(0, 1 - x) },
};

/**
 * The weights for a side of `from` samples that becomes one of `to`. When it shrinks, the kernel is stretched over all
 * samples that a result covers. Beyond the ends, the last sample is repeated. The number of taps is a multiple of
 * `tapsAtATime`.
 */
export function createWeights(
  from: number,
  to: number,
  { resampling, tapsAtATime }: { resampling: Resampling; tapsAtATime: number },
): Weights {
  const { radius, weightAt } = kernels[resampling];
  const scale = from / to;
  const stretch = Math.max(1, scale);
  const reach = radius * stretch;
  const taps = Math.ceil((Math.floor(2 * reach) + 1) / tapsAtATime) * tapsAtATime;
  const lastStart = Math.max(0, from - taps);
  const starts = new Uint32Array(to);
  const values = new Int16Array(to * taps);
  const exact = new Float64Array(taps);
  for (let result = 0; result < to; result++) {
    const center = (result + 0.5) * scale - 0.5;
    const first = Math.ceil(center - reach);
    const last = Math.floor(center + reach);
    const start = Math.min(Math.max(0, first), lastStart);
    let sum = 0;
    exact.fill(0);
    for (let sample = first; sample <= last; sample++) {
      const weight = weightAt(Math.abs(sample - center) / stretch);
      const tap = Math.min(Math.max(0, sample), from - 1) - start;
      exact[tap] = (exact[tap] ?? 0) + weight;
      sum += weight;
    }
    starts[result] = start;
    round(exact, one / sum, values.subarray(result * taps, (result + 1) * taps));
  }
  return { taps, starts, values };
}

/** What is lost by rounding goes to the largest weight: an even area keeps its colour. */
function round(exact: Float64Array, factor: number, rounded: Int16Array): void {
  let rest = one;
  let largest = 0;
  for (let tap = 0; tap < exact.length; tap++) {
    const value = Math.round((exact[tap] ?? 0) * factor);
    rounded[tap] = value;
    rest -= value;
    if (value > (rounded[largest] ?? 0)) largest = tap;
  }
  rounded[largest] = (rounded[largest] ?? 0) + rest;
}
