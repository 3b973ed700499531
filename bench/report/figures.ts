import { cpus } from 'node:os';
import { addedLatency, type Ratios, throughputRatio } from '../measure/ratios.js';
import type { Sample } from '../measure/records.js';
import type { measureResident } from '../measure/resident.js';
import type { Row } from './table.js';

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

/** Processor time of the limit over that of a system, 8 at a time: less moved by other jobs than throughput. */
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
