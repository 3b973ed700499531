import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { parseApiKey } from '../../../../core-server/access/keys/api-key-format.js';
import { createApiKeys } from '../../../../core-server/access/keys/api-keys.js';
import type { ApiKeyStore, StoredApiKey } from '../../../../core-server/access/keys/knex-api-key-store.js';
import { Operation } from '../../../../generated/imageanalysis/v1/admin.js';

const start = new Date('2026-01-01T00:00:00Z');
const label = 'test';
const clock = mock.timers;

beforeEach(() => {
  clock.reset();
  clock.enable({ apis: ['Date'], now: start });
});

describe('API keys', () => {
  it('has an id, a secret of 32 bytes, and is stored by hash only', async () => {
    const { apiKeys, rows } = setUp();
    const { apiKey, secret } = await apiKeys.create({
      label,
      operations: [Operation.METER_READING, Operation.METER_READING],
      expireTime: undefined,
    });
    assert.match(secret, /^ia_[0-9a-z]{12}_[A-Za-z0-9_-]{43}$/);
    assert.ok(secret.startsWith(`${apiKey.id}_`));
    assert.deepEqual(apiKey, {
      id: apiKey.id,
      label,
      operations: [Operation.METER_READING],
      createTime: start,
      expireTime: undefined,
      revokeTime: undefined,
    });
    const [stored] = rows.values();
    assert.equal(stored?.secretHash.length, 32);
    const secretPart = secret.slice(apiKey.id.length + 1);
    assert.ok(!JSON.stringify([...rows]).includes(secretPart));
  });

  it('is well formed and does not repeat', async () => {
    const { apiKeys } = setUp();
    const created = await Promise.all(Array.from({ length: 200 }, () => createKey(apiKeys)));
    for (const { apiKey, secret } of created) assert.equal(parseApiKey(secret)?.id, apiKey.id);
    assert.equal(new Set(created.map(({ secret }) => secret)).size, 200);
    assert.equal(new Set(created.map(({ apiKey }) => apiKey.id)).size, 200);
  });

  it('authenticates with the whole key only', async () => {
    const { apiKeys } = setUp();
    const { apiKey, secret } = await createKey(apiKeys);
    const other = await createKey(apiKeys);
    assert.deepEqual(await apiKeys.authenticate(secret), apiKey);

    const secretPart = secret.slice(apiKey.id.length + 1);
    const lastChanged = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A');
    const wrong = {
      empty: '',
      'without secret': apiKey.id,
      'without id': secretPart,
      'with a blank': `${secret} `,
      'with a line end': `${secret}\n`,
      'too short': secret.slice(0, -1),
      'too long': `${secret}A`,
      huge: 'ia_'.repeat(100_000),
      'last character changed': lastChanged,
      "with another key's secret": `${other.apiKey.id}_${secretPart}`,
      'with an unknown id': `ia_000000000000_${secretPart}`,
      'in upper case': secret.toUpperCase(),
    };
    for (const [what, key] of Object.entries(wrong)) {
      await assert.rejects(apiKeys.authenticate(key), invalidApiKey, what);
    }
  });

  it('ends at its time, to the millisecond', async () => {
    const { apiKeys } = setUp();
    const expireTime = new Date('2026-02-01T00:00:00Z');
    const { secret } = await apiKeys.create({ label, operations: [], expireTime });
    clock.setTime(expireTime.getTime() - 1);
    await apiKeys.authenticate(secret);
    clock.setTime(expireTime.getTime());
    await assert.rejects(apiKeys.authenticate(secret), invalidApiKey);
  });

  it('follows a clock that jumps, and stays revoked', async () => {
    const { apiKeys } = setUp();
    const expireTime = new Date('2026-02-01T00:00:00Z');
    const { apiKey, secret } = await apiKeys.create({ label, operations: [], expireTime });
    clock.setTime(Date.parse('2036-01-01T00:00:00Z'));
    await assert.rejects(apiKeys.authenticate(secret), invalidApiKey);
    clock.setTime(Date.parse('1996-01-01T00:00:00Z'));
    await apiKeys.authenticate(secret);
    const other = await createKey(apiKeys);
    assert.notEqual(other.apiKey.id, apiKey.id);
    assert.deepEqual((await apiKeys.revoke(apiKey.id)).revokeTime, new Date('1996-01-01T00:00:00Z'));
    for (const time of ['1990-01-01T00:00:00Z', '2026-01-31T00:00:00Z']) {
      clock.setTime(Date.parse(time));
      await assert.rejects(apiKeys.authenticate(secret), invalidApiKey);
    }
  });

  it('reads the store at every call, for what another replica revoked, but once for all that wait', async () => {
    const { apiKeys, rows, found } = setUp();
    const { apiKey, secret } = await createKey(apiKeys);
    await Promise.all([1, 2, 3].map(() => apiKeys.authenticate(secret, 'caller')));
    assert.deepEqual(found, Array(2).fill([apiKey.id, 'caller']));
    rows.delete(apiKey.id);
    await assert.rejects(apiKeys.authenticate(secret), invalidApiKey);
  });

  it('is not told if it cannot be stored', async () => {
    const { apiKeys, store } = setUp();
    store.insert = () => Promise.reject(new Error('the disk is full'));
    await assert.rejects(createKey(apiKeys), { message: 'the disk is full' });
  });

  it('does not revoke what it does not know, nor asks the store for what is no id', async () => {
    const { apiKeys, found } = setUp();
    await assert.rejects(apiKeys.revoke('ia_000000000000'), {
      reason: 'UNKNOWN_API_KEY',
      message: 'id is "ia_000000000000", want the public id of an API key',
      details: { field: 'id', value: 'ia_000000000000' },
    });
    const { secret } = await createKey(apiKeys);
    for (const id of ['ia_0', '', '\0', 'x'.repeat(100_000), secret]) {
      await assert.rejects(apiKeys.revoke(id), {
        reason: 'UNKNOWN_API_KEY',
        message: 'id is malformed, want the public id of an API key',
        details: { field: 'id' },
      });
      await assert.rejects(apiKeys.list(1, id), { reason: 'INVALID_FIELD', details: { field: 'page_token' } });
    }
    assert.deepEqual(found, []);
  });
});

function setUp() {
  const rows = new Map<string, StoredApiKey>();
  const found: [id: string, owner: string | undefined][] = [];
  const store: ApiKeyStore = {
    insert: (key) => Promise.resolve(void rows.set(key.apiKey.id, key)),
    find: (id, owner) => {
      found.push([id, owner]);
      return Promise.resolve(rows.get(id));
    },
    list: () => Promise.resolve([...rows.values()].map(({ apiKey }) => apiKey)),
    revoke: (id, revokeTime) => {
      const row = rows.get(id);
      if (row) rows.set(id, { ...row, apiKey: { ...row.apiKey, revokeTime } });
      return Promise.resolve(rows.get(id)?.apiKey);
    },
  };
  return { apiKeys: createApiKeys(store), store, rows, found };
}

function createKey(apiKeys: ReturnType<typeof createApiKeys>) {
  return apiKeys.create({ label, operations: [], expireTime: undefined });
}

/** All refusals are the same: nothing tells which keys exist. */
const invalidApiKey = {
  reason: 'INVALID_API_KEY',
  message: 'apikey is unknown, revoked or expired, want a valid one',
  details: { field: 'apikey' },
};
