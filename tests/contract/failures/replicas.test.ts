import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import { pino } from 'pino';
import { AdminServiceClient, type CreateApiKeyResponse } from '../../../generated/imageanalysis/v1/admin.js';
import { findFreePorts } from '../../../launcher/ports.js';
import { createConfig } from '../../../rest-facade/config.js';
import { startRestFacade } from '../../../rest-facade/server/start-rest-facade.js';
import { eventually } from '../../helpers/eventually.js';
import { createForm } from '../../helpers/net/form.js';
import { metadataWithKey, unaryCall } from '../../helpers/net/grpc.js';
import { readSample } from '../../helpers/pictures/samples.js';
import { startCoreProcess } from '../../helpers/service/core-process.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

// Real cores in processes of their own, two behind one facade, come and go under load.

const adminKey = 'admin-key-of-the-tests';

interface Outcome {
  readonly sentAt: number;
  readonly endedAt: number;
  readonly status: number;
  readonly reason: string | undefined;
}

/** Detects faces without a pause. */
function startClients(rest: string, apiKey: string, picture: Buffer) {
  const outcomes: Outcome[] = [];
  let stopped = false;
  const loop = async (send: () => Promise<Response>) => {
    while (!stopped) {
      const sentAt = performance.now();
      const answer = await send();
      const { reason } = (await answer.json()) as { reason?: string };
      outcomes.push({ sentAt, endedAt: performance.now(), status: answer.status, reason });
    }
  };
  const headers = { apikey: apiKey };
  const detect = () => {
    const body = createForm(picture);
    return fetch(`${rest}/face_detect_multi`, { method: 'POST', headers, body });
  };
  const loops = [detect, detect, detect].map(loop);
  return {
    outcomes,
    async untilAnswered(count: number) {
      const wanted = outcomes.length + count;
      await eventually(() => outcomes.length >= wanted, 60_000);
    },
    async stop() {
      stopped = true;
      await Promise.all(loops);
    },
  };
}

test('cores come and go: nothing fails but what a killed one had in work', async (t) => {
  const dataDir = await createTemporaryFolder(t);
  const ports = await findFreePorts(4);
  /** The one at 0 or 1, on its own ports in each of its lives. */
  const start = (index: number) =>
    startCoreProcess(t, {
      CORE_DATA_DIR: dataDir,
      CORE_ADMIN_KEY: adminKey,
      CORE_PORT: String(ports[index]),
      CORE_METRICS_PORT: String(ports[index + 2]),
    });
  const hasCalls = async (index: number) => {
    const metrics = await fetch(`http://127.0.0.1:${ports[index + 2]}/metrics`);
    return /^imageanalysis_core_requests_total\{/m.test(await metrics.text());
  };
  const cores = [await start(0), await start(1)];
  const facade = await startRestFacade({
    config: createConfig({ REST_PORT: '0', REST_CORE_ADDRESS: `ipv4:127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}` }),
    log: pino({ level: 'silent' }),
  });
  t.after(() => facade.close());

  const admin = new AdminServiceClient(`127.0.0.1:${cores[0]?.adminPort}`, credentials.createInsecure());
  const { secret } = await unaryCall<CreateApiKeyResponse>((done) =>
    admin.createApiKey(
      { label: 'load', operations: [], expireTime: undefined },
      metadataWithKey('', { adminkey: adminKey }),
      done,
    ),
  );
  admin.close();

  const rest = `http://127.0.0.1:${facade.port}`;
  const clients = startClients(rest, secret, await readSample('astronaut.jpg'));
  const killsAt: number[] = [];
  for (const [index, signal] of [
    [0, 'SIGTERM'],
    [1, 'SIGKILL'],
  ] as const) {
    while (!(await hasCalls(index))) await clients.untilAnswered(1);
    if (signal === 'SIGKILL') killsAt.push(performance.now());
    await cores[index]?.end(signal);
    await clients.untilAnswered(8);
    cores[index] = await start(index);
    while (!(await hasCalls(index))) await clients.untilAnswered(1);
  }
  await clients.stop();

  const failed = clients.outcomes.filter(({ status }) => status !== 200);
  t.diagnostic(`${clients.outcomes.length} requests, ${failed.length} in work in a killed core`);
  for (const { sentAt, endedAt, status, reason } of failed) {
    assert.deepEqual([status, reason], [503, 'CORE_UNAVAILABLE']);
    assert.ok(killsAt.some((killedAt) => sentAt < killedAt && killedAt < endedAt));
  }
});
