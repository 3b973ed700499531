import { unknownCompany } from '../../access/companies/companies.js';
import type { ScoreStore } from './store.js';

/**
 * Reads the score that is a company's threshold for detections; undefined: never configured.
 *
 * @throws Refusal UNKNOWN_COMPANY: a misspelt name must not silently get the default score.
 */
export function createCompanyScoreReader(
  store: ScoreStore,
): (company: string) => Promise<number | undefined> {
  return async (company) => {
    const stored = await store.get(company);
    if (stored === undefined) throw unknownCompany('company', company);
    return stored.score;
  };
}
