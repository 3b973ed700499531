import type { Migration } from '../migrate.js';
import { createApiKeysAndCompanies } from './0001-create-api-keys-and-companies.js';

/** All migrations, oldest first. */
export const migrations: readonly Migration[] = [createApiKeysAndCompanies];
