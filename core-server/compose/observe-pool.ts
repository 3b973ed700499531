import { asRefusal } from '../../runtime/errors/refusal.js';
import type { Tracing } from '../../runtime/observe/tracing.js';
import type { WorkerPool } from '../inference/pool/worker-pool.js';
import type { AnalysisTasks } from './analysis-models.js';
import type { Metrics } from './metrics.js';

/** Steps of the meter reader that each run a network. */
const meterSteps = ['locate', 'refine', 'read', 'mark'] as const;

type Named = Readonly<Record<'name', string>>;

/** What the features need of the pool. */
export type AnalysisPool = Pick<WorkerPool<AnalysisTasks>, 'run'>;

/** The pool with its tasks traced, and waits, results and model times counted. */
export function observePool(deps: {
  readonly pool: AnalysisPool;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly models: {
    readonly face: { readonly entry: Named };
    readonly meter: Readonly<Record<(typeof meterSteps)[number], Named>>;
  };
}): AnalysisPool {
  const { pool, metrics, tracing, models } = deps;
  const infer = ({ name }: Named, elapsedMs: number | undefined) => {
    if (elapsedMs !== undefined) metrics.inferred(name, elapsedMs / 1000);
  };
  const count: { [Task in keyof AnalysisTasks]: (output: AnalysisTasks[Task]['output']) => void } = {
    detectFaces({ faces, timings }) {
      metrics.facesFound(faces.length);
      infer(models.face.entry, timings['infer']);
    },
    redactFaces({ faceCount, timings }) {
      metrics.facesFound(faceCount);
      infer(models.face.entry, timings['infer']);
    },
    readMeter({ reading, timings }) {
      metrics.meterRead(reading?.status.toLowerCase() ?? 'none', reading?.confidence);
      for (const step of meterSteps) infer(models.meter[step], timings[step]);
    },
    fuseReadings() {},
  };

  return {
    async run(task, input, options) {
      // From the queue to the worker's result.
      const span = tracing.start(task, options.trace, 'internal');
      const queuedAt = performance.now();
      const reportStart = (): void => {
        metrics.taskStarted(task, (performance.now() - queuedAt) / 1000);
        options.reportStart?.();
      };
      try {
        const output = await pool.run(task, input, { ...options, reportStart });
        metrics.taskEnded(task, 'OK');
        count[task](output);
        span.end({ failed: false, attributes: 'timings' in output ? toAttributes(output.timings) : {} });
        return output;
      } catch (error) {
        const { reason } = asRefusal(error);
        metrics.taskEnded(task, reason);
        span.end({ failed: reason === 'INTERNAL', attributes: { 'imageanalysis.reason': reason } });
        throw error;
      }
    },
  };
}

/** How long each step of the task took, milliseconds. */
function toAttributes(timings: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(timings).map(([step, ms]) => [`imageanalysis.step.${step}_ms`, ms]));
}
