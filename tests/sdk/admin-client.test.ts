import assert from 'node:assert/strict';
import { before, describe, it, test } from 'node:test';
import { type sendUnaryData, Server } from '@grpc/grpc-js';
import { type AdminClient, type ApiKey, createAdminClient, createClient, Operation } from 'image-analysis/client';
import { AdminServiceService, type ListApiKeysResponse } from '../../generated/imageanalysis/v1/admin.js';
import { createLifetime } from '../helpers/lifetime.js';
import { bindServer } from '../helpers/net/grpc.js';
import { startService, type TestService } from '../helpers/service/service.js';

const lifetime = createLifetime();

test('the client of the administration port lists more keys than fit into 4 MiB', async (t) => {
  const key: ApiKey = {
    id: 'ia_0123456789abcdef',
    label: '漢'.repeat(128),
    operations: [],
    createTime: new Date(0),
    expireTime: undefined,
    revokeTime: undefined,
  };
  const apiKeys = Array.from({ length: 12_000 }, () => key);
  const server = new Server();
  server.addService(AdminServiceService, {
    listApiKeys: (_call: unknown, done: sendUnaryData<ListApiKeysResponse>) => done(null, { apiKeys }),
  });
  const port = await bindServer(t, server);
  const admin = createAdminClient({ address: `127.0.0.1:${port}`, adminKey: 'any' });
  t.after(() => admin.close());

  assert.equal((await admin.listApiKeys()).apiKeys.length, apiKeys.length);
});

describe('the client of the administration port', () => {
  let service: TestService;
  let admin: AdminClient;

  before(async () => {
    service = await startService(lifetime);
    admin = createAdminClient({ address: service.admin.address, adminKey: service.admin.key });
    lifetime.after(() => admin.close());
  });

  it('creates, lists and revokes keys', async () => {
    const { apiKey, secret } = await admin.createApiKey({
      label: 'billing',
      operations: [Operation.METER_READING],
    });
    const id = apiKey?.id ?? '';
    assert.ok(secret.startsWith(`${id}_`));
    const { apiKeys } = await admin.listApiKeys();
    assert.deepEqual(
      apiKeys.find((key) => key.id === id),
      apiKey,
    );

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
    await client.setDetectionScore({
      company: name,
      password: 'battery staple',
      detectionScore: 0.65,
    });

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
    await assert.rejects(admin.createApiKey({}), {
      reason: 'MISSING_FIELD',
      details: { field: 'label' },
    });
    const stranger = createAdminClient({ address: service.admin.address, adminKey: 'wrong' });
    await assert.rejects(stranger.listApiKeys(), { reason: 'INVALID_API_KEY' });
    stranger.close();
  });
});
