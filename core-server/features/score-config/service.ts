import type { ScoreConfigServiceServer } from '../../../generated/imageanalysis/v1/score_config.js';
import { type Companies, companyAuthFailed } from '../../access/companies/companies.js';
import type { Call } from '../../common/call.js';
import type { Handlers } from '../../common/handlers.js';
import type { ScoreStore } from './knex-store.js';
import { validateGetDetectionScore, validateSetDetectionScore } from './validate.js';

/** Handlers of ScoreConfigService. */
export function createScoreConfigHandlers(deps: {
  readonly scores: ScoreStore;
  readonly companies: Pick<Companies, 'authenticate'>;
  /** Shown for a company whose score was never set, 0..1. */
  readonly defaultScore: number;
}): Handlers<ScoreConfigServiceServer, [call: Pick<Call, 'keyId' | 'clientAddress' | 'signal'>]> {
  const { scores, companies, defaultScore } = deps;
  return {
    async getDetectionScore(request, { keyId, clientAddress, signal }) {
      const { company, password } = validateGetDetectionScore(request);
      await companies.authenticate({ company, password, keyId, clientAddress, signal });
      const stored = await scores.get(company);
      // The company was deleted after its password was checked; the same below.
      if (stored === undefined) throw companyAuthFailed();
      return { company, detectionScore: stored.score ?? defaultScore };
    },

    async setDetectionScore(request, { keyId, clientAddress, signal }) {
      const { company, password, score } = validateSetDetectionScore(request);
      await companies.authenticate({ company, password, keyId, clientAddress, signal });
      if (!(await scores.set(company, score))) throw companyAuthFailed();
      return { company, detectionScore: score };
    },
  };
}
