import type { Knex } from 'knex';
import type { Company } from '../../../generated/imageanalysis/v1/admin.js';
import { isPostgres } from '../../store/postgres/open-postgres.js';
import { cacheRows } from '../../store/row-cache.js';
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
 * Companies and their scores in the table `companies`. It is not asked for impossible names, which may be of any length.
 * Scores are 64-bit floats in both databases: 0.92 comes back as 0.92. Every method throws a Refusal when the store fails.
 */
export function createKnexCompanyStore(db: Knex) {
  const table = (): Knex.QueryBuilder<Row, Row[]> => db<Row>('companies');
  const ask = <Result>(query: PromiseLike<Result>, owner?: string) => withStorageErrors(db, query, owner);

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
      return (await ask<number>(table().where({ name }).update({ password_hash: passwordHash }))) === 1;
    },

    async findPasswordHash(name: string): Promise<string | undefined> {
      if (!isCompanyName(name)) return undefined;
      const [row] = await ask<Pick<Row, 'password_hash'>[]>(table().where({ name }).select('password_hash'));
      return row?.password_hash;
    },

    /** A company's score, 0..1 or undefined if it was never set; undefined if no company has this name. */
    findScore: cacheRows<{ readonly score: number | undefined }>(db, async (name, owner) => {
      if (!isCompanyName(name)) return undefined;
      const query = table().where({ name }).select('detection_score');
      const [row] = await ask<Pick<Row, 'detection_score'>[]>(query, owner);
      return row && { score: row.detection_score ?? undefined };
    }),

    /**
     * Once this returns, the score is durable and is what every replica reads next.
     *
     * @param score undefined: none, as if it was never set
     * @returns the company with its new score; undefined if none has this name, and this stored password where one is given
     */
    async setScore(name: string, score: number | undefined, passwordHash?: string): Promise<Company | undefined> {
      if (!isCompanyName(name)) return undefined;
      const owner = { name, ...(passwordHash !== undefined && { password_hash: passwordHash }) };
      const [row] = await ask<Row[]>(
        table()
          .where(owner)
          .update({ detection_score: score ?? null })
          .returning('*'),
      );
      return row && toCompany(row);
    },

    /** So many at most, in order of the character codes of their names, after this name if it is given. */
    async list(limit: number, after = ''): Promise<Company[]> {
      // PostgreSQL would sort by the rules of its locale.
      const name = isPostgres(db) ? 'name COLLATE "C"' : 'name';
      const rows = await ask<Row[]>(table().select().whereRaw(`${name} > ?`, [after]).orderByRaw(name).limit(limit));
      return rows.map(toCompany);
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
