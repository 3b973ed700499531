import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Companies } from '../../../../core-server/access/companies/companies.js';
import { createAccess } from '../../../../core-server/access/create-access.js';
import type { ApiKeys } from '../../../../core-server/access/keys/api-keys.js';
import { createAdminHandlers } from '../../../../core-server/features/admin/service.js';
import {
  type CreateApiKeyRequest,
  type CreateCompanyRequest,
  Operation,
} from '../../../../generated/imageanalysis/v1/admin.js';
import { quote } from '../../../../runtime/errors/refusal.js';
import { openDatabase, placeSqlite } from '../../../helpers/databases/databases.js';

const now = new Date('2026-01-01T00:00:00Z');
/** For what is refused before a store is asked. */
const withoutStore = createAdminHandlers({ apiKeys: {} as ApiKeys, companies: {} as Companies });

describe('administration of API keys', () => {
  const request: CreateApiKeyRequest = { label: 'Acme', operations: [], expireTime: undefined };

  it('takes labels and times up to their limits', async (t) => {
    const handlers = await openHandlers(t);
    await handlers.createApiKey({ ...request, label: '木'.repeat(128) });
    await handlers.createApiKey({ ...request, label: '🔑'.repeat(128) });
    await handlers.createApiKey({ ...request, label: 'é'.normalize('NFD').repeat(128) });
    await handlers.createApiKey({ ...request, label: 'חברה\u200f (א)' });
    await handlers.createApiKey({ ...request, expireTime: new Date(now.getTime() + 1) });
    assert.equal((await handlers.listApiKeys({})).apiKeys.length, 5);
  });

  const label = '1 to 128 characters without control characters';
  const tooLate = { message: 'expire_time is outside the years 1 to 9999 in UTC, want a time in the future' };
  const refused: [string, Partial<CreateApiKeyRequest>, object][] = [
    ['no label', { label: '' }, missing('label', label)],
    ['129 characters', { label: '🔑'.repeat(129) }, { reason: 'INVALID_FIELD' }],
    ['a line end', { label: 'a\nb' }, invalid('label', 'a\nb', label)],
    ['a terminal command', { label: '\u001b[2J' }, invalid('label', '\u001b[2J', label)],
    ['a turn of direction', { label: 'a\u202eb' }, invalid('label', 'a\u202eb', label)],
    ['an isolate', { label: '\u2067a' }, invalid('label', '\u2067a', label)],
    ['a line separator', { label: 'a\u2028b' }, invalid('label', 'a\u2028b', label)],
    [
      'an unknown operation',
      { operations: [Operation.FACE_DETECTION, Operation.UNSPECIFIED] },
      invalid(
        'operations',
        'OPERATION_UNSPECIFIED',
        'any of OPERATION_FACE_DETECTION, OPERATION_SCORE_CONFIG, OPERATION_METER_READING',
      ),
    ],
    ['an operation of a newer version', { operations: [Operation.UNRECOGNIZED] }, { reason: 'INVALID_FIELD' }],
    ['an end now', { expireTime: now }, invalid('expire_time', now.toISOString(), 'a time in the future')],
    ['no real time', { expireTime: new Date(NaN) }, tooLate],
    ['milliseconds for seconds', { expireTime: new Date(1_000 * now.getTime()) }, tooLate],
  ];
  for (const [what, parts, expected] of refused) {
    it(`refuses ${what}`, async (t) => {
      t.mock.timers.enable({ apis: ['Date'], now });
      await assert.rejects(withoutStore.createApiKey({ ...request, ...parts }), expected);
    });
  }

  it('lists page by page, while others are added', async (t) => {
    const handlers = await openHandlers(t);
    const created: string[] = [];
    const create = async () => created.unshift((await handlers.createApiKey(request)).apiKey.id);
    for (let i = 0; i < 5; i += 1) await create();
    const listed: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await handlers.listApiKeys({ pageSize: 2, pageToken });
      assert.ok(page.apiKeys.length <= 2);
      listed.push(...page.apiKeys.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    assert.deepEqual(listed.toSorted(), created.toSorted());
    const whole = await handlers.listApiKeys({ pageSize: 5, pageToken: '' });
    assert.deepEqual([whole.apiKeys.length, whole.nextPageToken], [5, undefined]);
  });

  it('names what is wrong with a page', async (t) => {
    const handlers = await openHandlers(t);
    for (const [pageSize, limit] of [
      [0, 1],
      [1_001, 1_000],
    ] as const)
      await assert.rejects(handlers.listApiKeys({ pageSize }), {
        reason: 'INVALID_FIELD',
        message: `page_size is ${pageSize}, want a whole number from 1 to 1000`,
        details: { field: 'page_size', value: String(pageSize), limit: String(limit) },
      });
    for (const pageToken of ['ia_000000000000', 'any'])
      await assert.rejects(handlers.listApiKeys({ pageToken }), {
        reason: 'INVALID_FIELD',
        details: { field: 'page_token' },
      });
    await assert.rejects(handlers.listCompanies({ pageToken: ''.padEnd(65, 'a') }), { reason: 'INVALID_FIELD' });
  });

  it('names what is wrong with an id', async (t) => {
    const handlers = await openHandlers(t);
    await assert.rejects(handlers.revokeApiKey({ id: '' }), missing('id', 'the public id of an API key'));
    await assert.rejects(handlers.revokeApiKey({ id: 'ia_000000000000' }), { reason: 'UNKNOWN_API_KEY' });
  });
});

describe('administration of companies', () => {
  const request: CreateCompanyRequest = { name: 'acme', password: 'right-password' };

  it('stores nothing for a caller that has left', async (t) => {
    const handlers = await openHandlers(t);
    const call = { signal: AbortSignal.abort(new Error('gone')) };
    await assert.rejects(handlers.createCompany(request, call), /gone/);
    await assert.rejects(handlers.setCompanyPassword(request, call), /gone/);
    assert.deepEqual((await handlers.listCompanies({})).companies, []);
  });

  it('takes names and passwords up to their limits', async (t) => {
    const handlers = await openHandlers(t);
    await handlers.createCompany({ name: 'a', password: '8-chars-' });
    await handlers.createCompany({ name: '..a', password: 'ä 木 - bc' });
    await handlers.createCompany({ name: 'aA9._-'.padEnd(64, '-'), password: '🔑'.repeat(128) });
    await handlers.createCompany({ name: 'b', password: 'é'.normalize('NFD').repeat(128) });
    assert.equal((await handlers.listCompanies({})).companies.length, 4);
  });

  it('lists page by page, while others are deleted', async (t) => {
    const handlers = await openHandlers(t);
    for (const name of ['a', 'b', 'c', 'd']) await handlers.createCompany({ name, password: 'password' });
    const first = await handlers.listCompanies({ pageSize: 2 });
    assert.equal(first.nextPageToken, 'b');
    await handlers.deleteCompany({ name: 'b' });
    const second = await handlers.listCompanies({ pageSize: 2, pageToken: first.nextPageToken });
    assert.deepEqual([second.companies.map(({ name }) => name), second.nextPageToken], [['c', 'd'], undefined]);
  });

  const nameRule = '1 to 64 ASCII letters, digits, ".", "_" or "-", but not only dots';
  const passwordRule = '8 to 128 characters, without control characters or leading or trailing blanks';
  const unsendable = {
    reason: 'INVALID_FIELD',
    message: `password has control characters, bytes that are not UTF-8, or leading or trailing blanks, want ${passwordRule}`,
    details: { field: 'password' },
  };
  const refused: [string, Partial<CreateCompanyRequest>, object][] = [
    ['no name', { name: '' }, missing('name', nameRule)],
    ['a name of 65', { name: 'a'.repeat(65) }, invalid('name', 'a'.repeat(65), nameRule)],
    ['a blank in the name', { name: 'a b' }, invalid('name', 'a b', nameRule)],
    ['a line end after the name', { name: 'acme\n' }, invalid('name', 'acme\n', nameRule)],
    ['a name that addresses lose', { name: '..' }, invalid('name', '..', nameRule)],
    ['a letter beyond ASCII', { name: 'größe' }, invalid('name', 'größe', nameRule)],
    ['no password', { password: '' }, missing('password', passwordRule)],
    ['a password of 7', { password: '7-chars' }, shortOrLong(7)],
    ['a password of 7 letters in two parts each', { password: 'é'.normalize('NFD').repeat(7) }, shortOrLong(7)],
    ['a password of 129', { password: 'x'.repeat(129) }, shortOrLong(129)],
    // The header `x-company-password` could not carry these.
    ['a line end in a password', { password: 'pass\nword' }, unsendable],
    ['a tab in a password', { password: 'pass\tword' }, unsendable],
    ['DEL in a password', { password: 'pass\x7fword' }, unsendable],
    ['bytes that are not UTF-8 in a password', { password: 'p\ufffdssword' }, unsendable],
    ['half a character', { password: 'pass\ud800word' }, unsendable],
    ['a blank before a password', { password: ' password' }, unsendable],
    ['a blank after a password', { password: 'password ' }, unsendable],
  ];
  for (const [what, parts, expected] of refused) {
    it(`refuses ${what}`, () => assert.rejects(withoutStore.createCompany({ ...request, ...parts }), expected));
  }

  it('holds what is set to the same rules, and wants a name', async () => {
    const handlers = withoutStore;
    await assert.rejects(handlers.setCompanyPassword({ name: 'acme', password: '7-chars' }), shortOrLong(7));
    await assert.rejects(handlers.setCompanyScore({ name: 'acme' }), { reason: 'MISSING_FIELD' });
    await assert.rejects(handlers.setCompanyScore({ name: 'acme', detectionScore: 2 }), { reason: 'INVALID_SCORE' });
    const unnamed = missing('name', 'the name of a registered company');
    await assert.rejects(handlers.setCompanyPassword({ ...request, name: '' }), unnamed);
    await assert.rejects(handlers.setCompanyScore({ name: '', detectionScore: 0.5 }), unnamed);
    await assert.rejects(handlers.deleteCompanyScore({ name: '' }), unnamed);
    await assert.rejects(handlers.deleteCompany({ name: '' }), unnamed);
  });

  function shortOrLong(length: number): object {
    return {
      reason: 'INVALID_FIELD',
      message: `password has ${length} characters, want ${passwordRule}`,
      details: { field: 'password', limit: '8..128' },
    };
  }
});

function missing(field: string, wish: string): object {
  const message = `${field} is missing, want ${wish}`;
  return { reason: 'MISSING_FIELD', message, details: { field } };
}

function invalid(field: string, value: string, wish: string): object {
  // Escaped: a control character would act on the terminal that shows it.
  const message = `${field} is ${quote(value)}, want ${wish}`;
  return { reason: 'INVALID_FIELD', message, details: { field, value } };
}

async function openHandlers(t: TestContext) {
  const db = await openDatabase(t, await placeSqlite(t));
  t.mock.timers.enable({ apis: ['Date'], now });
  return createAdminHandlers(createAccess(db));
}
