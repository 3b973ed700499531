import type {
  GetDetectionScoreRequest,
  GetDetectionScoreResponse,
  SetDetectionScoreRequest,
  SetDetectionScoreResponse,
} from '../../../generated/imageanalysis/v1/score_config.js';
import { companyAuthFailed } from '../../access/companies/companies.js';
import type { Call } from '../../common/call.js';
import type { ScoreStore } from './store.js';
import { validateGetDetectionScore, validateSetDetectionScore } from './validate.js';

export interface ScoreConfigDependencies {
  readonly scores: ScoreStore;
  /** Rejects with COMPANY_AUTH_FAILED, RATE_LIMITED or QUEUE_FULL unless the password is right. */
  readonly authenticateCompany: (credentials: {
    readonly company: string;
    readonly password: string;
    readonly keyId: string;
    readonly clientAddress: string;
    readonly signal: AbortSignal;
  }) => Promise<void>;
  /** Shown for a company whose score was never set, 0..1. */
  readonly defaultScore: number;
}

type CallerOfScores = Pick<Call, 'keyId' | 'clientAddress' | 'signal'>;

export interface ScoreConfigHandlers {
  readonly getDetectionScore: (
    request: GetDetectionScoreRequest,
    call: CallerOfScores,
  ) => Promise<GetDetectionScoreResponse>;
  readonly setDetectionScore: (
    request: SetDetectionScoreRequest,
    call: CallerOfScores,
  ) => Promise<SetDetectionScoreResponse>;
}

/** Handlers of ScoreConfigService. */
export function createScoreConfigHandlers(deps: ScoreConfigDependencies): ScoreConfigHandlers {
  const { scores, authenticateCompany, defaultScore } = deps;

  return {
    async getDetectionScore(request, { keyId, clientAddress, signal }) {
      const { company, password } = validateGetDetectionScore(request);
      await authenticateCompany({ company, password, keyId, clientAddress, signal });
      const stored = await scores.get(company);
      // The company was deleted after its password was checked; the same below.
      if (stored === undefined) throw companyAuthFailed();
      return { company, detectionScore: stored.score ?? defaultScore };
    },

    async setDetectionScore(request, { keyId, clientAddress, signal }) {
      const { company, password, score } = validateSetDetectionScore(request);
      await authenticateCompany({ company, password, keyId, clientAddress, signal });
      if (!(await scores.set(company, score))) throw companyAuthFailed();
      return { company, detectionScore: score };
    },
  };
}
