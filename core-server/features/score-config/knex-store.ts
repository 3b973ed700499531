import type { Knex } from 'knex';
import { isCompanyName } from '../../access/companies/company-name.js';
import { cacheRows } from '../../store/row-cache.js';
import { withStorageErrors } from '../../store/storage-error.js';

interface Row {
  readonly name: string;
  readonly password_hash: string;
  readonly detection_score: number | null;
}

/** Where detection scores are kept. Every method throws a Refusal when the store fails. */
export type ScoreStore = ReturnType<typeof createKnexScoreStore>;

/**
 * Scores in the rows of the companies. Both columns are 64-bit floats: 0.92 comes back as 0.92.
 * One statement each, which both databases commit durably before it returns.
 */
export function createKnexScoreStore(db: Knex) {
  const table = (): Knex.QueryBuilder<Row, Row[]> => db<Row>('companies');
  const ask = <Result>(query: PromiseLike<Result>) => withStorageErrors(db, query);

  return {
    /** A company's score, 0..1 or undefined if it was never set; undefined if no company has this name. */
    get: cacheRows<{ readonly score: number | undefined }>(db, async (company) => {
      if (!isCompanyName(company)) return undefined; // callers send anything here
      const [row] = await ask<Pick<Row, 'detection_score'>[]>(
        table().where({ name: company }).select('detection_score'),
      );
      return row && { score: row.detection_score ?? undefined };
    }),

    /**
     * Once this returns, the score is durable and is what every replica reads next. False if no company has this name,
     * and this stored password where one is given.
     */
    async set(company: string, score: number, passwordHash?: string): Promise<boolean> {
      const owner = { name: company, ...(passwordHash !== undefined && { password_hash: passwordHash }) };
      const changed = await ask<number>(table().where(owner).update({ detection_score: score }));
      return changed === 1;
    },
  };
}
