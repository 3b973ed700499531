import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import { pino } from 'pino';
import {
  AdminServiceClient,
  type CreateApiKeyResponse,
  type ListApiKeysResponse,
} from '../../../generated/imageanalysis/v1/admin.js';
import {
  type GetDetectionScoreResponse,
  ScoreConfigServiceClient,
} from '../../../generated/imageanalysis/v1/score_config.js';
import { createConfig } from '../../../rest-facade/config.js';
import { startRestFacade } from '../../../rest-facade/server/start-rest-facade.js';
import { eventually } from '../../helpers/eventually.js';
import { metadataWithKey, unaryCall } from '../../helpers/net/grpc.js';
import { type CoreProcess, startCoreProcess } from '../../helpers/service/core-process.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

// The real core in a process of its own, killed and stopped.

const adminKey = 'admin-key-of-the-tests';
const password = 'correct horse';
const rounds = 2;
const changesPerRound = 6;

test('what was answered survives kill -9, in every round, over REST and gRPC', async (t) => {
  const dataDir = await createTemporaryFolder(t);
  const environment = { CORE_DATA_DIR: dataDir, CORE_ADMIN_KEY: adminKey };

  let core: CoreProcess = await startCoreProcess(t, environment);
  // The same port again, so that the facade finds the next core without a restart of its own.
  const ports = { CORE_PORT: String(core.port), CORE_ADMIN_PORT: String(core.adminPort) };
  const facade = await startRestFacade({
    config: createConfig({ REST_PORT: '0', REST_CORE_ADDRESS: `127.0.0.1:${core.port}` }),
    log: pino({ level: 'silent' }),
  });
  t.after(() => facade.close());
  const rest = `http://127.0.0.1:${facade.port}`;
  const admin = new AdminServiceClient(`127.0.0.1:${core.adminPort}`, credentials.createInsecure());
  const scores = new ScoreConfigServiceClient(`127.0.0.1:${core.port}`, credentials.createInsecure());
  t.after(() => (admin.close(), scores.close()));
  const asAdmin = metadataWithKey('', { adminkey: adminKey });
  const waiting = { deadline: Infinity, waitForReady: true };
  const createKey = async (label: string) => {
    const request = { label, operations: [], expireTime: undefined };
    const { secret } = await unaryCall<CreateApiKeyResponse>((done) =>
      admin.createApiKey(request, asAdmin, waiting, done),
    );
    return secret;
  };

  let apiKey = await createKey('first');
  await unaryCall((done) => admin.createCompany({ name: 'acme', password }, asAdmin, done));
  const setOverRest = async (score: number) => {
    const login = `company=acme&password=${encodeURIComponent(password)}`;
    const answer = await fetch(`${rest}/face_config_score?detection=${score}&${login}`, {
      headers: { apikey: apiKey },
    });
    assert.equal(answer.status, 200);
  };
  const setOverGrpc = (score: number) =>
    unaryCall((done) =>
      scores.setDetectionScore({ company: 'acme', password, detectionScore: score }, metadataWithKey(apiKey), done),
    );

  for (let round = 0; round < rounds; round += 1) {
    let score = 0;
    for (let change = 0; change < changesPerRound; change += 1) {
      score = Number((0.1 + round / 10 + change / 1000).toFixed(3));
      await (change % 2 === round % 2 ? setOverRest(score) : setOverGrpc(score));
    }
    // The last answered things of this life: a score in one round, a key in the next.
    if (round % 2 === 1) apiKey = await createKey(`round ${round}`);
    assert.deepEqual(await core.end('SIGKILL'), [null, 'SIGKILL']);

    const dead = await fetch(`${rest}/face_config_score?detection`, { headers: { apikey: apiKey } });
    assert.equal(dead.status, 503);
    assert.equal(((await dead.json()) as { reason: string }).reason, 'CORE_UNAVAILABLE');

    core = await startCoreProcess(t, { ...environment, ...ports });
    const stored = await unaryCall<GetDetectionScoreResponse>((done) =>
      scores.getDetectionScore({ company: 'acme', password }, metadataWithKey(apiKey), waiting, done),
    );
    assert.equal(stored.detectionScore, score);
    await eventually(async () => (await fetch(`${rest}/readyz`)).ok);
  }
  const { apiKeys } = await unaryCall<ListApiKeysResponse>((done) => admin.listApiKeys({}, asAdmin, waiting, done));
  assert.deepEqual(
    apiKeys.map(({ label }) => label),
    ['round 1', 'first'],
  );
  assert.deepEqual(await core.end('SIGTERM'), [0, null]);
});
