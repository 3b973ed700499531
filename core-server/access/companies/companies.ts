import type { Company } from '../../../generated/imageanalysis/v1/admin.js';
import { invalidField, type Refusal, refuse } from '../../../runtime/errors/refusal.js';
import type { Semaphore } from '../../common/semaphore.js';
import type { FailureLimiter, PasswordAttempt } from '../limits/failure-limiter.js';
import { isCompanyName } from './company-name.js';
import type { CompanyStore } from './knex-company-store.js';
import type { PasswordHasher } from './password.js';

interface CompanyCredentials extends PasswordAttempt {
  readonly password: string;
  /** Aborted when the caller is gone: a password still waiting is then not checked, and none is found right. */
  readonly signal?: AbortSignal;
}

/** No more of a password is hashed: none nearly as long can be set. */
const maxHashedLength = 1024;

/** The owner if there is no API key. */
const administrator = '';

/** Registers companies and checks their passwords. */
export type Companies = ReturnType<typeof createCompanies>;

/** @param deps `semaphore` limits password checks to part of the thread pool, which reading the store needs too */
export function createCompanies(deps: {
  readonly store: CompanyStore;
  readonly hasher: PasswordHasher;
  readonly semaphore: Semaphore;
  readonly failures: FailureLimiter;
}) {
  const { store, hasher, semaphore, failures } = deps;
  const decoy = hasher.decoy();
  const hash = (password: string, signal?: AbortSignal): Promise<string> =>
    semaphore.run(administrator, () => hasher.hash(password), signal);

  /** The stored form of the password, if it is the right one. */
  async function verify(name: string, password: string): Promise<string | undefined> {
    const stored = await store.findPasswordHash(name);
    // The decoy costs as much as a real hash, so the time of a refusal does not reveal who is registered.
    const matches = await hasher.verify(password.slice(0, maxHashedLength), stored ?? decoy);
    return matches ? stored : undefined;
  }

  return {
    /** @throws Refusal COMPANY_EXISTS; `signal.reason` when aborted, unless it is being stored already */
    async create(name: string, password: string, signal?: AbortSignal): Promise<Company> {
      const createTime = new Date();
      if (!(await store.insert(name, await hash(password, signal), createTime))) {
        throw invalidField('name', name, 'one that is not registered', 'COMPANY_EXISTS');
      }
      return { name, detectionScore: undefined, createTime };
    },

    /** @throws Refusal UNKNOWN_COMPANY; `signal.reason` when aborted, unless it is being stored already */
    async setPassword(name: string, password: string, signal?: AbortSignal): Promise<void> {
      if (!(await store.setPasswordHash(name, await hash(password, signal)))) throw unknownCompany('name', name);
    },

    /** Without a score, it has the default of the service. @throws Refusal UNKNOWN_COMPANY */
    async setScore(name: string, score?: number): Promise<Company> {
      const company = await store.setScore(name, score);
      if (company === undefined) throw unknownCompany('name', name);
      return company;
    },

    /** So many at most, by name, after this one if it is given. @throws Refusal INVALID_FIELD if it cannot be one */
    async list(limit: number, after?: string): Promise<Company[]> {
      if (after !== undefined && !isCompanyName(after))
        throw invalidField('page_token', after, 'the next_page_token of the response before');
      return store.list(limit, after);
    },

    /** @throws Refusal UNKNOWN_COMPANY */
    async delete(name: string): Promise<void> {
      if (!(await store.delete(name))) throw unknownCompany('name', name);
    },

    /**
     * Returns if the password is the company's: its stored form, which is another one as soon as the company is
     * deleted or its password changed.
     *
     * @throws Refusal COMPANY_AUTH_FAILED for an unknown company and for a wrong password, after
     * the same work; RATE_LIMITED after repeated failures, whether or not the company exists;
     * QUEUE_FULL when too many passwords wait to be checked; `signal.reason` when aborted.
     */
    async authenticate(credentials: CompanyCredentials): Promise<string> {
      const { company, password, signal } = credentials;
      await failures.check(credentials);
      const check = async () => {
        // Again when its turn has come: those before it may have used up the allowed failures.
        await failures.check(credentials);
        const stored = await verify(company, password);
        if (stored !== undefined) {
          await failures.recordSuccess(credentials);
          return stored;
        }
        await failures.recordFailure(credentials);
        throw companyAuthFailed();
      };
      return semaphore.run(credentials.keyId, check, signal);
    },
  };
}

/** The same refusal for an unknown company and for a wrong password: it must not reveal which it is. */
export function companyAuthFailed(): Refusal {
  return refuse(
    'COMPANY_AUTH_FAILED',
    'the company is unknown or the password is wrong, want a company and its password',
  );
}

/** @param field under which the caller sent the name */
export function unknownCompany(field: string, name: string): Refusal {
  return invalidField(field, name, 'the name of a registered company', 'UNKNOWN_COMPANY');
}
