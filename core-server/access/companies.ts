import { clip, quote, type Refusal, refuse } from '../../runtime/refusal.js';
import { isCompanyName } from './company-name.js';
import type { FailureLimiter, PasswordAttempt } from './failure-limiter.js';
import type { PasswordHasher } from './password.js';
import type { WorkLimiter } from './work-limiter.js';

/** A registered company without its password. */
export interface Company {
  readonly name: string;
  /** 0..1; undefined: never configured. */
  readonly detectionScore: number | undefined;
  readonly createTime: Date;
}

/** Where companies are kept. Every method throws a Refusal when the store fails. */
export interface CompanyStore {
  /** False if there is one of that name, which then stays as it is. */
  insert(name: string, passwordHash: string, createTime: Date): Promise<boolean>;
  /** False if there is none of that name. */
  setPasswordHash(name: string, passwordHash: string): Promise<boolean>;
  findPasswordHash(name: string): Promise<string | undefined>;
  /** By name, in the order of the characters' codes. */
  list(): Promise<Company[]>;
  /** Deletes the company and its score; false if there is none of that name. */
  delete(name: string): Promise<boolean>;
}

/** A company's name and password, and who sent them. */
export interface CompanyCredentials extends PasswordAttempt {
  readonly password: string;
  /** Aborted when the caller is gone: a password that still waits is then not checked. */
  readonly signal?: AbortSignal;
}

export interface Companies {
  /** @throws Refusal COMPANY_EXISTS */
  create(name: string, password: string): Promise<Company>;
  /** @throws Refusal UNKNOWN_COMPANY */
  setPassword(name: string, password: string): Promise<void>;
  list(): Promise<Company[]>;
  /** @throws Refusal UNKNOWN_COMPANY */
  delete(name: string): Promise<void>;
  /**
   * Returns if the password is that of the company.
   *
   * @throws Refusal COMPANY_AUTH_FAILED for an unknown company and for a wrong password, after
   * the same work; RATE_LIMITED after repeated failures, whether or not the company exists;
   * QUEUE_FULL when too many passwords wait to be checked.
   */
  authenticate(credentials: CompanyCredentials): Promise<void>;
}

export interface CompaniesDependencies {
  readonly store: CompanyStore;
  readonly hasher: PasswordHasher;
  /** Holds password checks to a part of the thread pool, which reads of the store need too. */
  readonly limiter: WorkLimiter;
  readonly failures: FailureLimiter;
  readonly now: () => Date;
}

/** Longer passwords are wrong without a look: none may be set that is nearly as long. */
const longestHashed = 1024;

/** Whose turn it is where no API key asks. */
const administrator = '';

/** Registers companies and checks their passwords. */
export function createCompanies(dependencies: CompaniesDependencies): Companies {
  const { store, hasher, limiter, failures, now } = dependencies;
  const decoy = hasher.decoy();
  const hash = (password: string): Promise<string> =>
    limiter.run(administrator, () => hasher.hash(password));

  async function isRightPassword(name: string, password: string): Promise<boolean> {
    const possible = isCompanyName(name) && password.length <= longestHashed;
    const stored = possible ? await store.findPasswordHash(name) : undefined;
    // The decoy costs what a real hash costs: the time of a refusal does not tell who is registered.
    const matches = await hasher.verify(possible ? password : '', stored ?? decoy);
    return matches && stored !== undefined;
  }

  return {
    async create(name, password) {
      const createTime = now();
      if (!(await store.insert(name, await hash(password), createTime))) {
        throw refuse('COMPANY_EXISTS', `name is "${name}", want one that is not registered`, {
          details: { field: 'name', value: name },
        });
      }
      return { name, detectionScore: undefined, createTime };
    },

    async setPassword(name, password) {
      const known =
        isCompanyName(name) && (await store.setPasswordHash(name, await hash(password)));
      if (!known) throw unknownCompany('name', name);
    },

    list: () => store.list(),

    async delete(name) {
      if (!isCompanyName(name) || !(await store.delete(name))) throw unknownCompany('name', name);
    },

    async authenticate(credentials) {
      const { company, password, signal } = credentials;
      await failures.check(credentials);
      const check = async () => {
        // Again when it is this one's turn: those ahead of it may have used up the allowed failures.
        await failures.check(credentials);
        if (await isRightPassword(company, password)) {
          await failures.recordSuccess(credentials);
          return;
        }
        await failures.recordFailure(credentials);
        throw companyAuthFailed();
      };
      await limiter.run(credentials.keyId, check, signal);
    },
  };
}

/** One refusal for an unknown company and for a wrong password: it must not tell which of them it is. */
export function companyAuthFailed(): Refusal {
  return refuse(
    'COMPANY_AUTH_FAILED',
    'the company is unknown or the password is wrong, want a company and its password',
  );
}

/** @param field under which the caller sent the name */
export function unknownCompany(field: string, name: string): Refusal {
  return refuse(
    'UNKNOWN_COMPANY',
    `${field} is ${quote(name)}, want the name of a registered company`,
    { details: { field, value: clip(name) } },
  );
}
