import { createSemaphore, type SemaphoreLimits } from '../common/semaphore.js';
import type { Database } from '../store/database.js';
import { createCompanies } from './companies/companies.js';
import { createKnexCompanyStore } from './companies/knex-company-store.js';
import { createPasswordHasher } from './companies/password.js';
import { createApiKeys } from './keys/api-keys.js';
import { createKnexApiKeyStore } from './keys/knex-api-key-store.js';
import { createFailureLimiter } from './limits/failure-limiter.js';

export type Access = ReturnType<typeof createAccess>;

/**
 * Who may call, and on behalf of which company: API keys and companies in the store.
 *
 * @param passwords how many are hashed at once, and how many may wait; absent: as commands need it, one and none
 */
export function createAccess(db: Database, passwords: SemaphoreLimits = { maxRunning: 1, maxWaiting: 0 }) {
  const companyStore = createKnexCompanyStore(db);
  return {
    companyStore,
    apiKeys: createApiKeys(createKnexApiKeyStore(db)),
    companies: createCompanies({
      store: companyStore,
      hasher: createPasswordHasher(),
      semaphore: createSemaphore('the queue for passwords', passwords),
      failures: createFailureLimiter(),
    }),
  };
}
