import type { Knex } from 'knex';
import { operationFromJSON } from '../../../generated/imageanalysis/v1/admin.js';
import { fromColumnTime, fromOptionalColumnTime } from '../../store/column-time.js';
import { cacheRows } from '../../store/row-cache.js';
import { withStorageErrors } from '../../store/storage-error.js';
import type { ApiKey, ApiKeyStore } from './api-keys.js';

interface Row {
  readonly id: string;
  readonly secret_sha256: string;
  readonly label: string;
  readonly operations: string | null;
  readonly create_time_ms: number | string;
  readonly expire_time_ms: number | string | null;
  readonly revoke_time_ms: number | string | null;
}

/** API keys in the table `api_keys`. */
export function createKnexApiKeyStore(db: Knex): ApiKeyStore {
  const table = (): Knex.QueryBuilder<Row, Row[]> => db<Row>('api_keys');
  const ask = <Result>(query: PromiseLike<Result>) => withStorageErrors(db, query);

  return {
    async insert({ apiKey, secretHash }) {
      await ask(
        table().insert({
          id: apiKey.id,
          secret_sha256: secretHash.toString('hex'),
          label: apiKey.label,
          operations: apiKey.operations.length === 0 ? null : apiKey.operations.join(','),
          create_time_ms: apiKey.createTime.getTime(),
          expire_time_ms: apiKey.expireTime?.getTime() ?? null,
          revoke_time_ms: apiKey.revokeTime?.getTime() ?? null,
        }),
      );
    },

    find: cacheRows(db, async (id) => {
      const [row] = await ask<Row[]>(table().where({ id }).select());
      if (row === undefined) return undefined;
      return { apiKey: toApiKey(row), secretHash: Buffer.from(row.secret_sha256, 'hex') };
    }),

    async list() {
      const rows = await ask<Row[]>(
        table()
          .select()
          .orderBy([{ column: 'create_time_ms', order: 'desc' }, 'id']),
      );
      return rows.map(toApiKey);
    },

    async exist() {
      const rows = await ask<Row[]>(table().select().limit(1));
      return rows.length > 0;
    },

    async revoke(id, time) {
      const [row] = await ask<Row[]>(
        table()
          .where({ id })
          .update({ revoke_time_ms: db.raw('coalesce(revoke_time_ms, ?)', [time.getTime()]) })
          .returning('*'),
      );
      return row === undefined ? undefined : toApiKey(row);
    },
  };
}

function toApiKey(row: Row): ApiKey {
  return {
    id: row.id,
    label: row.label,
    // Throws for a name that a newer version wrote: without it, the list could be empty, which allows everything.
    operations: row.operations === null ? [] : row.operations.split(',').map(operationFromJSON),
    createTime: fromColumnTime(row.create_time_ms),
    expireTime: fromOptionalColumnTime(row.expire_time_ms),
    revokeTime: fromOptionalColumnTime(row.revoke_time_ms),
  };
}
