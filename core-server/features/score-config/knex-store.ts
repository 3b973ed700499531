import type { Knex } from 'knex';
import { isCompanyName } from '../../access/companies/company-name.js';
import { cacheRows } from '../../store/row-cache.js';
import { withStorageErrors } from '../../store/storage-error.js';
import type { ScoreStore } from './store.js';

interface Row {
  readonly name: string;
  readonly detection_score: number | null;
}

/**
 * Scores in the rows of the companies. Both columns are 64-bit floats: 0.92 comes back as 0.92.
 * One statement each, which both databases commit durably before it returns.
 */
export function createKnexScoreStore(db: Knex): ScoreStore {
  const table = (): Knex.QueryBuilder<Row, Row[]> => db<Row>('companies');
  const ask = <Result>(query: PromiseLike<Result>) => withStorageErrors(db, query);

  return {
    get: cacheRows(db, async (company) => {
      if (!isCompanyName(company)) return undefined; // callers send anything here
      const [row] = await ask<Pick<Row, 'detection_score'>[]>(
        table().where({ name: company }).select('detection_score'),
      );
      return row && { score: row.detection_score ?? undefined };
    }),

    async set(company, score) {
      const changed = await ask<number>(table().where({ name: company }).update({ detection_score: score }));
      return changed === 1;
    },
  };
}
