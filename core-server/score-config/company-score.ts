import { maxCompanyNameLength } from '../access/company-name.js';
import { ServiceError } from '../errors.js';
import type { ScoreStore } from './store.js';

/**
 * Reads the score that is a company's threshold for detections; undefined: never configured.
 *
 * @throws ServiceError UNKNOWN_COMPANY: a misspelt name must not silently get the default score.
 */
export function createCompanyScoreReader(
  store: ScoreStore,
): (company: string) => Promise<number | undefined> {
  return async (company) => {
    const stored = await store.get(company);
    if (stored !== undefined) return stored.score;
    // Of what a caller sent no more is repeated than a company could be called.
    const value = company.slice(0, maxCompanyNameLength);
    throw new ServiceError(
      'UNKNOWN_COMPANY',
      `company is "${value}", want the name of a registered company`,
      { details: { field: 'company', value } },
    );
  };
}
