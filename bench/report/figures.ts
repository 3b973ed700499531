import { cpus } from 'node:os';
import { addedLatency, type Ratios, throughputRatio } from '../measure/ratios.js';
import type { Sample, SystemFacts } from '../measure/records.js';
import type { measureResident } from '../measure/resident.js';
import type { Row } from './table.js';

/** What `bench/latest.json` holds. */
export interface Figures {
  readonly time: string;
  readonly machine: string;
  readonly plan: string;
  readonly ratios: Ratios;
  /** Processor time of the limit over that of a system, 8 at a time: less moved by other jobs than throughput. */
  readonly cpuRatios: Readonly<Record<string, number | null>>;
  /** Of `added_ms_p50` what the facade and gRPC add; the rest are the core's queue, threads, checks and post-processing. */
  readonly addedByFacadeAndGrpcMs: number | null;
  readonly firstStartMs: number;
  readonly systems: Readonly<Record<string, SystemFacts>>;
  readonly rows: readonly Row[];
}

export function computeRatios(
  samples: readonly Sample[],
  measured: {
    readonly healthP99Ms: number;
    readonly coreBytes: Awaited<ReturnType<typeof measureResident>>;
    readonly startMs: number;
  },
): Ratios {
  return {
    core_over_limit_vga: throughputRatio(samples, ['core', 'limit'], 'vga'),
    core_over_limit_12mp: throughputRatio(samples, ['core', 'limit'], '12mp'),
    rest_over_core: throughputRatio(samples, ['facade', 'core'], 'vga'),
    added_ms_p50: addedLatency(samples, ['facade', 'limit'], 'vga'),
    faces_over_faceapi: throughputRatio(samples, ['facade', 'faceapi'], 'vga'),
    faces_over_opencv: throughputRatio(samples, ['facade', 'opencv'], 'vga'),
    meters_over_ocrnode: throughputRatio(samples, ['facade', 'ocrnode'], 'meter'),
    health_p99_ms: measured.healthP99Ms,
    core_rss_mb: toMegabytes(measured.coreBytes.busy),
    core_rested_mb: toMegabytes(measured.coreBytes.rested),
    start_ms: measured.startMs,
  };
}

const toMegabytes = (bytes: number | undefined): number | null => (bytes === undefined ? null : bytes / 1e6);

export function computeCpuRatios(rows: readonly Row[]): Record<string, number | null> {
  const at = (system: string, set: string): number =>
    rows.find((r) => r.system === system && r.set === set && r.concurrency === 8)?.cpuMs ?? NaN;
  const entries = ['core', 'facade'].flatMap((system) =>
    ['vga', '12mp', 'crowd', 'meter'].map((set): [string, number | null] => {
      const ratio = at('limit', set) / at(system, set);
      return [`${system}_${set}`, Number.isFinite(ratio) ? ratio : null];
    }),
  );
  return Object.fromEntries(entries);
}

export function describeMachine(): string {
  const all = cpus();
  return `${all.length} x ${all[0]?.model ?? 'unknown'}, Node.js ${process.version}`;
}
