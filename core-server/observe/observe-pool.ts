import { ReadingStatus } from '../../generated/imageanalysis/v1/meter_reading.js';
import { ServiceError } from '../errors.js';
import type { DetectFacesOutput } from '../face/detector.js';
import type { WorkerPool } from '../inference/pool.js';
import type { ReadMeterOutput } from '../meter/reader.js';
import type { AnalysisTasks } from '../worker-main.js';
import type { Metrics } from './metrics.js';

/** Networks of the meter reader by the step that runs them. */
const meterModels = ['locate', 'refine', 'read'] as const;

/** The same pool; what its tasks find and how long their models take is counted. */
export function observePool(
  pool: Pick<WorkerPool<AnalysisTasks>, 'run'>,
  metrics: Metrics,
): Pick<WorkerPool<AnalysisTasks>, 'run'> {
  const count: { [Task in keyof AnalysisTasks]: (output: AnalysisTasks[Task]['output']) => void } =
    {
      detectFaces({ faces, model, timings }: DetectFacesOutput) {
        metrics.facesFound(faces.length);
        infer(model.name, timings['infer']);
      },
      readMeter({ reading, timings }: ReadMeterOutput) {
        metrics.meterRead(toStatus(reading?.status), reading?.confidence);
        for (const step of meterModels) infer(`meter-${step}`, timings[step]);
      },
    };
  const infer = (model: string, elapsedMs: number | undefined) => {
    if (elapsedMs !== undefined) metrics.inferred(model, elapsedMs / 1000);
  };

  return {
    async run(task, input, options) {
      try {
        const output = await pool.run(task, input, options);
        metrics.taskEnded(task, 'OK');
        count[task](output);
        return output;
      } catch (error) {
        metrics.taskEnded(task, ServiceError.from(error).reason);
        throw error;
      }
    },
  };
}

function toStatus(status: ReadingStatus | undefined): string {
  if (status === undefined) return 'none';
  return status === ReadingStatus.OK ? 'ok' : 'check';
}
