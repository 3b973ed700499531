import type { Knex } from 'knex';
import { type ApiKey as ApiKeyMessage, Operation } from '../../../generated/imageanalysis/v1/admin.js';
import { knownOperations } from '../../common/operations.js';
import { cacheRows } from '../../store/row-cache.js';
import { withStorageErrors } from '../../store/storage-error.js';

/** An API key without its secret. */
export interface ApiKey extends ApiKeyMessage {
  createTime: Date;
}

export interface StoredApiKey {
  readonly apiKey: ApiKey;
  /** SHA-256 of the secret, 32 bytes. */
  readonly secretHash: Buffer;
}

/** SQLite's driver returns a number, PostgreSQL's a string of digits. */
const timeOf = (column: number | string): Date => new Date(Number(column));

interface Row {
  readonly id: string;
  readonly secret_sha256: string;
  readonly label: string;
  readonly operations: string | null;
  readonly create_time_ms: number | string;
  readonly expire_time_ms: number | string | null;
  readonly revoke_time_ms: number | string | null;
}

export type ApiKeyStore = ReturnType<typeof createKnexApiKeyStore>;

/** API keys in the table `api_keys`. Every method throws a Refusal when the store fails. */
export function createKnexApiKeyStore(db: Knex) {
  const table = (): Knex.QueryBuilder<Row, Row[]> => db<Row>('api_keys');
  const ask = <Result>(query: PromiseLike<Result>, owner?: string) => withStorageErrors(db, query, owner);

  return {
    async insert({ apiKey, secretHash }: StoredApiKey): Promise<void> {
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

    find: cacheRows<StoredApiKey>(db, async (id, owner) => {
      const [row] = await ask<Row[]>(table().where({ id }).select(), owner);
      if (row === undefined) return undefined;
      return { apiKey: toApiKey(row), secretHash: Buffer.from(row.secret_sha256, 'hex') };
    }),

    /** So many at most, newest first, after this one if it is given. */
    async list(limit: number, last?: ApiKey): Promise<ApiKey[]> {
      const query = table().select().orderByRaw('create_time_ms DESC, id DESC').limit(limit);
      if (last) void query.whereRaw('(create_time_ms, id) < (?, ?)', [last.createTime.getTime(), last.id]);
      return (await ask<Row[]>(query)).map(toApiKey);
    },

    /** Sets the time of revocation if there is none yet; returns the updated key, or undefined if unknown. */
    async revoke(id: string, time: Date): Promise<ApiKey | undefined> {
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

/** What a newer version wrote allows nothing here: left out, the list could be empty, which allows everything. */
function toOperation(name: string): Operation {
  return knownOperations.find((known) => `${known}` === name) ?? Operation.UNSPECIFIED;
}

function toApiKey(row: Row): ApiKey {
  return {
    id: row.id,
    label: row.label,
    operations: row.operations?.split(',').map(toOperation) ?? [],
    createTime: timeOf(row.create_time_ms),
    expireTime: row.expire_time_ms === null ? undefined : timeOf(row.expire_time_ms),
    revokeTime: row.revoke_time_ms === null ? undefined : timeOf(row.revoke_time_ms),
  };
}
