import type {
  GetDetectionScoreRequest,
  GetDetectionScoreResponse,
  SetDetectionScoreRequest,
  SetDetectionScoreResponse,
} from '../../generated/imageanalysis/v1/score_config.js';
import type { Call } from '../call.js';
import { ServiceError } from '../errors.js';
import type { ScoreStore } from './store.js';
import { validateGetDetectionScore, validateSetDetectionScore } from './validate.js';

export interface ScoreConfigDependencies {
  readonly scores: ScoreStore;
  /** Rejects with COMPANY_AUTH_FAILED, RATE_LIMITED or QUEUE_FULL unless the password is right. */
  readonly authenticateCompany: (credentials: {
    readonly company: string;
    readonly password: string;
    readonly keyId: string;
    readonly peer: string;
    readonly signal: AbortSignal;
  }) => Promise<void>;
  /** Shown for a company whose score was never set, 0..1. */
  readonly defaultScore: number;
}

type CallerOfScores = Pick<Call, 'keyId' | 'peer' | 'signal'>;

export interface ScoreConfigHandlers {
  getDetectionScore(
    request: GetDetectionScoreRequest,
    call: CallerOfScores,
  ): Promise<GetDetectionScoreResponse>;
  setDetectionScore(
    request: SetDetectionScoreRequest,
    call: CallerOfScores,
  ): Promise<SetDetectionScoreResponse>;
}

/** Handlers of ScoreConfigService. */
export function createScoreConfigHandlers(deps: ScoreConfigDependencies): ScoreConfigHandlers {
  const { scores, authenticateCompany, defaultScore } = deps;

  return {
    async getDetectionScore(request, { keyId, peer, signal }) {
      const { company, password } = validateGetDetectionScore(request);
      await authenticateCompany({ company, password, keyId, peer, signal });
      const stored = await scores.get(company);
      if (stored === undefined) throw deletedMeanwhile();
      return { company, detectionScore: stored.score ?? defaultScore };
    },

    async setDetectionScore(request, { keyId, peer, signal }) {
      const { company, password, score } = validateSetDetectionScore(request);
      await authenticateCompany({ company, password, keyId, peer, signal });
      if (!(await scores.set(company, score))) throw deletedMeanwhile();
      return { company, detectionScore: score };
    },
  };
}

/** The company was deleted between the check of its password and now. */
function deletedMeanwhile(): ServiceError {
  return new ServiceError(
    'COMPANY_AUTH_FAILED',
    'The company is unknown or the password is wrong.',
  );
}
