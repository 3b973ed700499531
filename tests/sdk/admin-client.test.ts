import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type AdminClient, createAdminClient, createClient, Operation } from 'image-analysis/client';
import { createLifetime } from '../helpers/lifetime.js';
import { startScripted } from '../helpers/service/scripted-service.js';
import type { TestService } from '../helpers/service/service.js';

const lifetime = createLifetime();

describe('the client of the administration port', () => {
  let service: TestService;
  let admin: AdminClient;

  before(async () => {
    ({ service } = await startScripted(lifetime));
    admin = createAdminClient({ address: service.admin.address, adminKey: service.admin.key });
    lifetime.after(() => admin.close());
  });

  it('creates, lists and revokes keys', async () => {
    const { apiKey, secret } = await admin.createApiKey({ label: 'billing', operations: [Operation.METER_READING] });
    const id = apiKey?.id ?? '';
    assert.ok(secret.startsWith(`${id}_`));
    const { apiKeys } = await admin.listApiKeys();
    assert.deepEqual(
      apiKeys.find((key) => key.id === id),
      apiKey,
    );

    const [first, second] = [
      await admin.listApiKeys({ pageSize: 1 }),
      await admin.listApiKeys({ pageSize: 1, pageToken: id }),
    ];
    assert.deepEqual([first.apiKeys, first.nextPageToken], [[apiKey], id]);
    assert.deepEqual(second.apiKeys, apiKeys.slice(1, 2));

    const client = createClient({ address: service.grpc, apiKey: secret });
    await assert.rejects(client.detectAllFaces({}), { reason: 'KEY_NOT_ALLOWED' });
    const revoked = await admin.revokeApiKey({ id });
    assert.ok(revoked.apiKey?.revokeTime);
    await assert.rejects(client.readMeter({}), { reason: 'INVALID_API_KEY' });
    client.close();
  });

  it('registers, lists and deletes companies', async () => {
    const name = 'typescript-example';
    const client = createClient({ address: service.grpc, apiKey: service.apiKey });
    await admin.createCompany({ name, password: 'correct horse' });
    await admin.setCompanyPassword({ name, password: 'battery staple' });
    await client.setDetectionScore({ company: name, password: 'battery staple', detectionScore: 0.65 });

    const { companies } = await admin.listCompanies();
    assert.equal(companies.find((company) => company.name === name)?.detectionScore, 0.65);
    const { company } = await admin.setCompanyScore({ name, detectionScore: 0.7 });
    assert.equal(company?.detectionScore, 0.7);
    assert.equal((await admin.deleteCompanyScore({ name })).company?.detectionScore, undefined);
    await admin.deleteCompany({ name });
    assert.deepEqual((await admin.listCompanies()).companies, []);
    client.close();
  });

  it('tells why it was refused', async () => {
    await assert.rejects(admin.deleteCompany({ name: 'nobody' }), { reason: 'UNKNOWN_COMPANY' });
    await assert.rejects(admin.createApiKey({}), { reason: 'MISSING_FIELD', details: { field: 'label' } });
    // One of a newer version.
    await assert.rejects(admin.createApiKey({ label: 'new', operations: [Operation.UNRECOGNIZED] }), {
      reason: 'INVALID_FIELD',
      details: { field: 'operations', value: 'UNRECOGNIZED' },
    });
    const stranger = createAdminClient({ address: service.admin.address, adminKey: 'wrong' });
    await assert.rejects(stranger.listApiKeys(), { reason: 'INVALID_API_KEY' });
    stranger.close();
  });
});
