import { createApiKeysAndCompanies } from './0001-create-api-keys-and-companies.js';
import type { Migration } from './migration.js';

/** All migrations, oldest first. */
export const migrations: readonly Migration[] = [createApiKeysAndCompanies];
