import type { SetName } from '../pictures.js';
import type { Sample } from './records.js';
import { median } from './statistics.js';

/** What is asked of the service; the keys of `ratios` in the figures. */
export interface Requirement {
  readonly key: string;
  readonly meaning: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export const requirements = [
  { key: 'core_over_limit_vga', meaning: 'throughput core / limit, 640 x 480, 8 at a time', atLeast: 0.85 },
  { key: 'core_over_limit_12mp', meaning: 'throughput core / limit, 12 megapixels, 8 at a time', atLeast: 0.85 },
  { key: 'rest_over_core', meaning: 'throughput facade / core, 640 x 480, 8 at a time', atLeast: 0.9 },
  { key: 'added_ms_p50', meaning: 'ms added to the limit by facade and core, 640 x 480, 1 at a time', atMost: 3 },
  { key: 'faces_over_faceapi', meaning: 'throughput facade / face-api, 640 x 480', atLeast: 5 },
  { key: 'faces_over_opencv', meaning: "throughput facade / OpenCV's server, 640 x 480", atLeast: 2 },
  { key: 'meters_over_ocrnode', meaning: 'throughput facade / @gutenye/ocr-node, meter', atLeast: 5 },
  { key: 'health_p99_ms', meaning: 'ms, 99th percentile of a health check while saturated', atMost: 12 },
  { key: 'core_rss_mb', meaning: 'MB resident, core, two workers, all models loaded', atMost: 400 },
  { key: 'core_rested_mb', meaning: 'the same a minute after 64 photos of 12 megapixels at once', atMost: 450 },
  { key: 'start_ms', meaning: 'ms from start to ready, built and installed', atMost: 1800 },
] as const satisfies readonly Requirement[];

type RatioKey = (typeof requirements)[number]['key'];
/** Null: could not be measured here, because a peer is missing. */
export type Ratios = Record<RatioKey, number | null>;

/** Throughput of one system over another's, 8 at a time, in the same cell of the same round, in the median of the rounds. */
export function throughputRatio(
  samples: readonly Sample[],
  systems: readonly [above: string, below: string],
  set: SetName,
): number | null {
  return overRounds(samples, systems, set, 8, (a, b) => (b.throughput > 0 ? a.throughput / b.throughput : NaN));
}

/** Milliseconds by which the median latency of one system is longer, 1 at a time, in the median of the rounds. */
export function addedLatency(
  samples: readonly Sample[],
  systems: readonly [above: string, below: string],
  set: SetName,
): number | null {
  return overRounds(samples, systems, set, 1, (a, b) => median(a.latenciesMs) - median(b.latenciesMs));
}

/** Milliseconds by which a request takes longer than its work in the core, medians, 1 at a time, in that of the rounds. */
export function addedToWork(samples: readonly Sample[], system: string, set: SetName): number | null {
  return overRounds(samples, [system, system], set, 1, (one) => median(one.latenciesMs) - median(one.workMs));
}

function overRounds(
  samples: readonly Sample[],
  [above, below]: readonly [string, string],
  set: SetName,
  concurrency: number,
  compare: (above: Sample, below: Sample) => number,
): number | null {
  const cell = samples.filter((s) => s.set === set && s.concurrency === concurrency);
  const values = cell
    .filter(({ system }) => system === above)
    .flatMap((sample) => {
      const { round, at } = sample;
      const other = cell.find((s) => s.system === below && s.round === round && s.at === at);
      return other ? [compare(sample, other)] : [];
    })
    .filter((value) => !Number.isNaN(value));
  return values.length > 0 ? median(values) : null;
}
