import { timingSafeEqual } from 'node:crypto';
import { type Refusal, refuseField } from '../../../runtime/errors/refusal.js';
import { singleFlight } from '../limits/single-flight.js';
import { generateApiKey, hashApiKeySecret, isApiKeyId, parseApiKey } from './api-key-format.js';
import type { ApiKey, ApiKeyStore } from './knex-api-key-store.js';

export type ApiKeys = ReturnType<typeof createApiKeys>;

export function createApiKeys(store: ApiKeyStore) {
  const find = singleFlight((id: string, owner) => store.find(id, owner));
  return {
    /** Creates a key; `secret` is the whole key to send, and is not stored. */
    async create({ label, operations, expireTime }: Pick<ApiKey, 'label' | 'operations' | 'expireTime'>) {
      const { id, secret } = generateApiKey();
      const apiKey: ApiKey = {
        id,
        label,
        operations: [...new Set(operations)],
        createTime: new Date(),
        expireTime,
        revokeTime: undefined,
      };
      await store.insert({ apiKey, secretHash: hashApiKeySecret(secret) });
      return { apiKey, secret: `${id}_${secret}` };
    },

    /** So many at most, newest first, after this one if it is given. @throws Refusal INVALID_FIELD if it is unknown */
    async list(limit: number, after?: string): Promise<ApiKey[]> {
      if (after === undefined) return store.list(limit);
      const last = isApiKeyId(after) ? await find(after) : undefined;
      if (last === undefined)
        throw refuseField('INVALID_FIELD', 'page_token', 'is unknown, want the next_page_token of the response before');
      return store.list(limit, last.apiKey);
    },

    /** @throws Refusal UNKNOWN_API_KEY */
    async revoke(id: string): Promise<ApiKey> {
      const apiKey = isApiKeyId(id) ? await store.revoke(id, new Date()) : undefined;
      if (apiKey === undefined) throw unknownApiKey(id);
      return apiKey;
    },

    /**
     * The key that a caller sent, as it is in the store now: a revoked one is refused at the next call on every
     * replica. The caller has to check what the key may be used for.
     *
     * @param owner whose turn at the store it takes: the key may be made up
     * @throws Refusal INVALID_API_KEY, the same for a malformed, unknown, revoked or expired key.
     */
    async authenticate(sent: string, owner?: string): Promise<ApiKey> {
      const parts = parseApiKey(sent);
      if (parts === undefined) throw invalidApiKey();
      const stored = await find(parts.id, owner);
      // An unknown id is compared too, so that refusing it takes the same work.
      const secretHash = stored?.secretHash ?? noHash;
      const matches = timingSafeEqual(hashApiKeySecret(parts.secret), secretHash);
      if (stored === undefined || !matches || hasEnded(stored.apiKey)) throw invalidApiKey();
      return stored.apiKey;
    },
  };
}

const noHash = Buffer.alloc(32);

function hasEnded({ revokeTime, expireTime }: ApiKey): boolean {
  return revokeTime !== undefined || (expireTime !== undefined && expireTime <= new Date());
}

function unknownApiKey(id: string): Refusal {
  // Anything but a public id may be a whole key, so it is not repeated.
  const value = isApiKeyId(id) ? id : undefined;
  const clause = `is ${value === undefined ? 'malformed' : `"${value}"`}, want the public id of an API key`;
  return refuseField('UNKNOWN_API_KEY', 'id', clause, { value });
}

function invalidApiKey(): Refusal {
  return refuseField('INVALID_API_KEY', 'apikey', 'is unknown, revoked or expired, want a valid one');
}
