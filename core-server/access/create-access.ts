import { randomBytes } from 'node:crypto';
import type { Database } from '../db/knex.js';
import { type ApiKeys, createApiKeys } from './api-keys.js';
import { type Companies, createCompanies } from './companies.js';
import { createFailureLimiter } from './failure-limiter.js';
import { createKnexApiKeyStore } from './knex-api-key-store.js';
import { createKnexCompanyStore } from './knex-company-store.js';
import { createPasswordHasher } from './password.js';
import { createWorkLimiter, type WorkLimits } from './work-limiter.js';

/** Who may call, and on behalf of which company. */
export interface Access {
  readonly apiKeys: ApiKeys;
  readonly companies: Companies;
}

/** API keys and companies in the store. */
export function createAccess(deps: {
  readonly db: Database;
  /** How many passwords are hashed at once, and how many may wait. */
  readonly passwords: WorkLimits;
  readonly now: () => Date;
}): Access {
  const { db, passwords, now } = deps;
  return {
    apiKeys: createApiKeys({ store: createKnexApiKeyStore(db), now, randomBytes }),
    companies: createCompanies({
      store: createKnexCompanyStore(db),
      hasher: createPasswordHasher({ randomBytes }),
      limiter: createWorkLimiter(passwords),
      failures: createFailureLimiter(),
      now,
    }),
  };
}
