import { createKnexCompanyStore } from '../../../core-server/access/companies/knex-company-store.js';
import type { StoredApiKey } from '../../../core-server/access/keys/knex-api-key-store.js';
import type { Database } from '../../../core-server/store/database.js';

/** Registers `acme`. @returns the companies of the store */
export async function registerAcme(db: Database) {
  const companies = createKnexCompanyStore(db);
  await companies.insert('acme', 'scrypt$', new Date());
  return companies;
}

/** A key whose id and hash are of this letter. */
export function keyOf(letter: string, parts: Partial<StoredApiKey['apiKey']> = {}): StoredApiKey {
  return {
    apiKey: {
      id: `ia_${letter.repeat(12)}`,
      label: 'test',
      operations: [],
      createTime: new Date('2026-01-01T00:00:00Z'),
      expireTime: undefined,
      revokeTime: undefined,
      ...parts,
    },
    secretHash: Buffer.alloc(32, letter),
  };
}
