import { generatePassword } from '../access/companies/password.js';
import { createAccess } from '../access/create-access.js';
import { createDatabase, type DatabaseOptions } from '../store/database.js';
import { takeStartLock } from '../store/migrations/migrate.js';

/** Shown once: the store keeps hashes only. */
export type DemoCredentials = NonNullable<Awaited<ReturnType<typeof registerDemo>>>;

/**
 * Registers a demo company with a password of its own, and an API key; undefined if the store is in use already. All
 * happens in one transaction: a start that breaks off leaves nothing, and of two at once, one finds what the other
 * registered.
 */
export async function registerDemo(place: DatabaseOptions) {
  const db = await createDatabase(place);
  try {
    return await db.transaction(async (transaction) => {
      await takeStartLock(transaction);
      const { apiKeys, companies } = createAccess(transaction);
      const stored = [...(await apiKeys.list(1)), ...(await companies.list(1))];
      if (stored.length > 0) return undefined;
      const password = generatePassword();
      const { name: company } = await companies.create('demo', password);
      const { secret } = await apiKeys.create({ label: 'demo', operations: [], expireTime: undefined });
      return { apiKey: secret, company, password };
    });
  } finally {
    await db.destroy();
  }
}
