import type { Knex } from 'knex';
import { fromColumnTime } from '../../store/column-time.js';
import { withStorageErrors } from '../../store/storage-error.js';
import type { CompanyStore } from './companies.js';
import { isCompanyName } from './company-name.js';

interface Row {
  readonly name: string;
  readonly password_hash: string;
  readonly detection_score: number | null;
  readonly create_time_ms: number | string;
}

/** Companies in the table `companies`. It is not asked for impossible names, which may be of any length. */
export function createKnexCompanyStore(db: Knex): CompanyStore {
  const table = (): Knex.QueryBuilder<Row, Row[]> => db<Row>('companies');
  const ask = <Result>(query: PromiseLike<Result>) => withStorageErrors(db, query);

  return {
    async insert(name, passwordHash, createTime) {
      const inserted = await ask<unknown[]>(
        table()
          .insert({ name, password_hash: passwordHash, create_time_ms: createTime.getTime() })
          .onConflict('name')
          .ignore()
          .returning('name'),
      );
      return inserted.length === 1;
    },

    async setPasswordHash(name, passwordHash) {
      if (!isCompanyName(name)) return false;
      const changed = await ask<number>(table().where({ name }).update({ password_hash: passwordHash }));
      return changed === 1;
    },

    async findPasswordHash(name) {
      if (!isCompanyName(name)) return undefined;
      const [row] = await ask<Pick<Row, 'password_hash'>[]>(table().where({ name }).select('password_hash'));
      return row?.password_hash;
    },

    async list() {
      const rows = await ask<Row[]>(table().select());
      // Sorted here, because databases sort text by the rules of their locale.
      return rows
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((row) => ({
          name: row.name,
          detectionScore: row.detection_score ?? undefined,
          createTime: fromColumnTime(row.create_time_ms),
        }));
    },

    async delete(name) {
      if (!isCompanyName(name)) return false;
      return (await ask<number>(table().where({ name }).delete())) === 1;
    },
  };
}
