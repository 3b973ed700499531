import type { Knex } from 'knex';
import type { Company } from '../../../generated/imageanalysis/v1/admin.js';
import { withStorageErrors } from '../../store/storage-error.js';
import { isCompanyName } from './company-name.js';

interface Row {
  readonly name: string;
  readonly password_hash: string;
  readonly detection_score: number | null;
  /** SQLite's driver returns a number, PostgreSQL's a string of digits. */
  readonly create_time_ms: number | string;
}

export type CompanyStore = ReturnType<typeof createKnexCompanyStore>;

/**
 * Companies in the table `companies`. It is not asked for impossible names, which may be of any length. Every method
 * throws a Refusal when the store fails.
 */
export function createKnexCompanyStore(db: Knex) {
  const table = (): Knex.QueryBuilder<Row, Row[]> => db<Row>('companies');
  const ask = <Result>(query: PromiseLike<Result>) => withStorageErrors(db, query);

  return {
    /** False if the name is taken; the existing company stays as it is. */
    async insert(name: string, passwordHash: string, createTime: Date): Promise<boolean> {
      const inserted = await ask<unknown[]>(
        table()
          .insert({ name, password_hash: passwordHash, create_time_ms: createTime.getTime() })
          .onConflict('name')
          .ignore()
          .returning('name'),
      );
      return inserted.length === 1;
    },

    /** False if there is none with that name. */
    async setPasswordHash(name: string, passwordHash: string): Promise<boolean> {
      if (!isCompanyName(name)) return false;
      const changed = await ask<number>(table().where({ name }).update({ password_hash: passwordHash }));
      return changed === 1;
    },

    async findPasswordHash(name: string): Promise<string | undefined> {
      if (!isCompanyName(name)) return undefined;
      const [row] = await ask<Pick<Row, 'password_hash'>[]>(table().where({ name }).select('password_hash'));
      return row?.password_hash;
    },

    /** The company with its new score, undefined for none; undefined if no company has this name. */
    async setScore(name: string, score: number | undefined): Promise<Company | undefined> {
      if (!isCompanyName(name)) return undefined;
      const [row] = await ask<Row[]>(
        table()
          .where({ name })
          .update({ detection_score: score ?? null })
          .returning('*'),
      );
      return row && toCompany(row);
    },

    /** By name, in order of character codes. */
    async list(): Promise<Company[]> {
      const rows = await ask<Row[]>(table().select());
      // Sorted here, because databases sort text by the rules of their locale.
      return rows.sort((a, b) => (a.name < b.name ? -1 : 1)).map(toCompany);
    },

    /** Deletes the company and its score; false if there is none with that name. */
    async delete(name: string): Promise<boolean> {
      if (!isCompanyName(name)) return false;
      return (await ask<number>(table().where({ name }).delete())) === 1;
    },
  };
}

function toCompany(row: Row): Company {
  return {
    name: row.name,
    detectionScore: row.detection_score ?? undefined,
    createTime: new Date(Number(row.create_time_ms)),
  };
}
