import { type Threshold, ThresholdSource } from '../../../generated/imageanalysis/v1/face_detection.js';
import { unknownCompany } from '../../access/companies/companies.js';
import type { ScoreStore } from './knex-store.js';

/**
 * Finds the threshold of a detection: the request's beats the company's, which beats the default. Rejects with
 * UNKNOWN_COMPANY for a company that is not registered, also if the request has its own score: a misspelt name must not
 * go unnoticed.
 *
 * @returns `minScore` and the threshold's value are 0..1; `company` is empty if the request names none
 */
export function createThresholdResolver(
  scores: Pick<ScoreStore, 'get'>,
  defaultScore: number,
): (wish: { minScore?: number | undefined; company: string }) => Promise<Threshold> {
  const scoreOf = async (company: string): Promise<number | undefined> => {
    const stored = await scores.get(company);
    if (stored === undefined) throw unknownCompany('company', company);
    return stored.score;
  };
  return async ({ minScore, company }) => {
    const companyScore = company === '' ? undefined : await scoreOf(company);
    if (minScore !== undefined) return { value: minScore, source: ThresholdSource.REQUEST };
    if (companyScore !== undefined) return { value: companyScore, source: ThresholdSource.COMPANY };
    return { value: defaultScore, source: ThresholdSource.DEFAULT };
  };
}
