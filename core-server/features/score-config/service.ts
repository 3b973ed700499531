import { type Threshold, ThresholdSource } from '../../../generated/imageanalysis/v1/face_detection.js';
import type {
  GetDetectionScoreRequest,
  ScoreConfigServiceServer,
} from '../../../generated/imageanalysis/v1/score_config.js';
import { missingField } from '../../../runtime/errors/refusal.js';
import { type Companies, companyAuthFailed, unknownCompany } from '../../access/companies/companies.js';
import type { CompanyStore } from '../../access/companies/knex-company-store.js';
import type { Call } from '../../common/call.js';
import type { Handlers } from '../../common/handlers.js';
import { requireScore } from '../../common/validate.js';

type Caller = Pick<Call, 'keyId' | 'clientAddress' | 'signal'>;

export function createScoreConfigHandlers(deps: {
  readonly scores: Pick<CompanyStore, 'findScore' | 'setScore'>;
  readonly companies: Pick<Companies, 'authenticate'>;
  /** Shown for a company whose score was never set, 0..1. */
  readonly defaultScore: number;
}): Handlers<ScoreConfigServiceServer, [call: Caller]> {
  const { scores, companies, defaultScore } = deps;
  return {
    async getDetectionScore(request, call) {
      const credentials = credentialsOf(request, call);
      await companies.authenticate(credentials);
      const { company } = credentials;
      const stored = await scores.findScore(company, call.keyId);
      // The company was deleted after its password was checked; below, it may be another one of its name by now.
      if (stored === undefined) throw companyAuthFailed();
      return { company, detectionScore: stored.score ?? defaultScore };
    },

    async setDetectionScore(request, call) {
      const credentials = credentialsOf(request, call);
      const score = requireScore('detection_score', request.detectionScore);
      const passwordHash = await companies.authenticate(credentials);
      const { company } = credentials;
      if (!(await scores.setScore(company, score, passwordHash))) throw companyAuthFailed();
      return { company, detectionScore: score };
    },
  };
}

/** An impossible name is treated like an unknown one: both fail to authenticate. @throws Refusal MISSING_FIELD */
function credentialsOf({ company, password }: GetDetectionScoreRequest, { keyId, clientAddress, signal }: Caller) {
  if (company === '') throw missingField('company', 'the name of a registered company');
  if (password === '') throw missingField('password', 'the password of the company');
  return { company, password, keyId, clientAddress, signal };
}

/**
 * Finds the threshold of a detection: the request's beats the company's, which beats the default. Rejects with
 * UNKNOWN_COMPANY for a company that is not registered, also if the request has its own score: a misspelt name must not
 * go unnoticed. A company that is empty is none.
 */
export function createThresholdResolver(
  scores: Pick<CompanyStore, 'findScore'>,
  defaultScore: number,
): (wish: { minScore?: number | undefined; company: string }, call: Pick<Call, 'keyId'>) => Promise<Threshold> {
  return async ({ minScore, company }, { keyId }) => {
    const stored = company === '' ? { score: undefined } : await scores.findScore(company, keyId);
    if (stored === undefined) throw unknownCompany('company', company);
    if (minScore !== undefined) return { value: minScore, source: ThresholdSource.REQUEST };
    if (stored.score !== undefined) return { value: stored.score, source: ThresholdSource.COMPANY };
    return { value: defaultScore, source: ThresholdSource.DEFAULT };
  };
}
