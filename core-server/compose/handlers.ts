import type { Companies } from '../access/companies/companies.js';
import {
  createFaceDetectionHandlers,
  type FaceDetectionHandlers,
} from '../features/face/service.js';
import {
  createMeterReadingHandlers,
  type MeterReadingHandlers,
} from '../features/meter/service.js';
import { createCompanyScoreReader } from '../features/score-config/company-score.js';
import { resolveThreshold } from '../features/score-config/resolve-threshold.js';
import {
  createScoreConfigHandlers,
  type ScoreConfigHandlers,
} from '../features/score-config/service.js';
import type { ScoreStore } from '../features/score-config/store.js';
import type { WorkerPool } from '../inference/pool/worker-pool.js';
import type { AnalysisModels } from './analysis-models.js';
import type { AnalysisTasks } from './analysis-tasks.js';
import type { CoreConfig } from './config.js';

/** What answers the calls of the public port, by feature. */
export interface Handlers {
  readonly face: FaceDetectionHandlers;
  readonly scoreConfig: ScoreConfigHandlers;
  readonly meter: MeterReadingHandlers;
}

/** Combines the features, which do not know each other. */
export function createHandlers(deps: {
  readonly config: CoreConfig;
  readonly models: AnalysisModels;
  readonly pool: Pick<WorkerPool<AnalysisTasks>, 'run'>;
  readonly scores: ScoreStore;
  readonly companies: Pick<Companies, 'authenticate'>;
}): Handlers {
  const { config, models, pool, scores, companies } = deps;
  const companyScore = createCompanyScoreReader(scores);
  const defaultScore = config.CORE_DEFAULT_SCORE ?? models.face.defaultScore;
  const limits = {
    maxBytes: config.CORE_MAX_IMAGE_BYTES,
    maxPixels: config.CORE_MAX_IMAGE_PIXELS,
    maxSide: config.CORE_MAX_IMAGE_SIDE,
  };
  return {
    face: createFaceDetectionHandlers({
      pool,
      limits,
      resolveThreshold: async ({ minScore, company }) =>
        resolveThreshold({
          request: minScore,
          // Read even if the request has its own score, so that a misspelt company never goes unnoticed.
          company: company === '' ? undefined : await companyScore(company),
          default: defaultScore,
        }),
    }),
    scoreConfig: createScoreConfigHandlers({
      scores,
      authenticateCompany: (credentials) => companies.authenticate(credentials),
      defaultScore,
    }),
    meter: createMeterReadingHandlers({
      pool,
      limits,
      checkBelow: config.CORE_METER_CHECK_BELOW ?? models.meter.rules.okConfidence,
    }),
  };
}
