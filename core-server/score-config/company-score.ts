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
    const value = company.slice(0, maxShownLength);
    throw new ServiceError(
      'UNKNOWN_COMPANY',
      `company is "${value}", want the name of a registered company`,
      { details: { field: 'company', value } },
    );
  };
}

/** Of a name that a caller sent no more than the longest that a company may have is repeated. */
const maxShownLength = 64;
