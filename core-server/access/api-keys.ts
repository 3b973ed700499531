import { timingSafeEqual } from 'node:crypto';
import type { Operation } from '../../generated/imageanalysis/v1/admin.js';
import { type Refusal, refuse } from '../../runtime/refusal.js';
import {
  type ApiKeyParts,
  formatApiKey,
  generateApiKey,
  hashApiKeySecret,
  isApiKeyId,
  parseApiKey,
} from './api-key-format.js';
import { shareLookups } from './share-lookups.js';

/** An API key without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly label: string;
  /** Empty: everything. */
  readonly operations: readonly Operation[];
  readonly createTime: Date;
  readonly expireTime: Date | undefined;
  readonly revokeTime: Date | undefined;
}

/** An API key as it is stored. */
export interface StoredApiKey {
  readonly apiKey: ApiKey;
  /** SHA-256 of the secret, 32 bytes. */
  readonly secretHash: Buffer;
}

/** Where API keys are kept. Every method throws a Refusal when the store fails. */
export interface ApiKeyStore {
  insert(key: StoredApiKey): Promise<void>;
  find(id: string): Promise<StoredApiKey | undefined>;
  /** Newest first. */
  list(): Promise<ApiKey[]>;
  /** Whether there is any, valid or not. */
  exist(): Promise<boolean>;
  /** Sets the time of revocation if there is none yet; the key afterwards, undefined if unknown. */
  revoke(id: string, time: Date): Promise<ApiKey | undefined>;
}

/** What a new API key is to be. */
export interface NewApiKey {
  readonly label: string;
  readonly operations: readonly Operation[];
  readonly expireTime: Date | undefined;
}

export interface ApiKeys {
  /** Creates a key; `secret` is the whole key to send, and is not kept. */
  create(wanted: NewApiKey): Promise<{ apiKey: ApiKey; secret: string }>;
  list(): Promise<ApiKey[]>;
  /** Whether any was ever made: those that ended stay in the store. */
  exist(): Promise<boolean>;
  /** @throws Refusal UNKNOWN_API_KEY */
  revoke(id: string): Promise<ApiKey>;
  /**
   * The key that a caller sent. Reads the store every time, together with those who ask at once: a
   * revoked key is refused at the next call on every replica. What the key may be used for is left to the caller to check.
   *
   * @throws Refusal INVALID_API_KEY, the same for a malformed, unknown, revoked or expired key.
   */
  authenticate(sent: string): Promise<ApiKey>;
  /**
   * The key as `authenticate` found it last; undefined where it found none, or the time is over. It may
   * be revoked since: for work that can begin before the store is asked, and is not answered before.
   */
  recall(sent: string): ApiKey | undefined;
}

export interface ApiKeysDependencies {
  readonly store: ApiKeyStore;
  readonly now: () => Date;
  /** Cryptographically random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
}

/** Issues, lists, revokes and checks API keys. */
export function createApiKeys({ store, now, randomBytes }: ApiKeysDependencies): ApiKeys {
  const find = shareLookups((id: string) => store.find(id));
  /** By id, those that had not ended when the store was last asked. */
  const known = new Map<string, StoredApiKey>();

  const isGood = (
    { secret }: ApiKeyParts,
    stored: StoredApiKey | undefined,
  ): stored is StoredApiKey => {
    // Compared for an unknown id too, so that its refusal takes the same work.
    const secretHash = stored?.secretHash ?? noHash;
    const matches = timingSafeEqual(hashApiKeySecret(secret), secretHash);
    return stored !== undefined && matches && !hasEnded(stored.apiKey, now());
  };

  return {
    async create({ label, operations, expireTime }) {
      const parts = generateApiKey(randomBytes);
      const apiKey: ApiKey = {
        id: parts.id,
        label,
        operations: [...new Set(operations)],
        createTime: now(),
        expireTime,
        revokeTime: undefined,
      };
      await store.insert({ apiKey, secretHash: hashApiKeySecret(parts.secret) });
      return { apiKey, secret: formatApiKey(parts) };
    },

    list: () => store.list(),

    exist: () => store.exist(),

    async revoke(id) {
      const apiKey = isApiKeyId(id) ? await store.revoke(id, now()) : undefined;
      if (apiKey === undefined) {
        throw unknownApiKey(id);
      }
      return apiKey;
    },

    async authenticate(sent) {
      const parts = parseApiKey(sent);
      if (parts === undefined) throw invalidApiKey();
      const stored = await find(parts.id).catch((error: unknown) => {
        known.delete(parts.id);
        throw error;
      });
      if (stored === undefined || hasEnded(stored.apiKey, now())) known.delete(parts.id);
      else known.set(parts.id, stored);
      if (!isGood(parts, stored)) throw invalidApiKey();
      return stored.apiKey;
    },

    recall(sent) {
      const parts = parseApiKey(sent);
      const stored = parts && known.get(parts.id);
      return parts && isGood(parts, stored) ? stored.apiKey : undefined;
    },
  };
}

const noHash = Buffer.alloc(32);

function hasEnded({ revokeTime, expireTime }: ApiKey, time: Date): boolean {
  return revokeTime !== undefined || (expireTime !== undefined && expireTime <= time);
}

function unknownApiKey(id: string): Refusal {
  const wish = 'want the public id of an API key';
  // What is no public id may be a whole key, and is not repeated.
  return isApiKeyId(id)
    ? refuse('UNKNOWN_API_KEY', `id is "${id}", ${wish}`, {
        details: { field: 'id', value: id },
      })
    : refuse('UNKNOWN_API_KEY', `id is malformed, ${wish}`, { details: { field: 'id' } });
}

function invalidApiKey(): Refusal {
  return refuse('INVALID_API_KEY', 'apikey is unknown, revoked or expired, want a valid one', {
    details: { field: 'apikey' },
  });
}
