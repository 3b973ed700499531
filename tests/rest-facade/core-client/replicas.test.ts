import assert from 'node:assert/strict';
import dns from 'node:dns';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Metadata, Server, status } from '@grpc/grpc-js';
import {
  DetectAllFacesResponse,
  type FaceDetectionServiceServer,
  FaceDetectionServiceService,
  type StreamDetectFacesRequest,
} from '../../../generated/imageanalysis/v1/face_detection.js';
import { createCoreClient } from '../../../rest-facade/core-client/core-client.js';
import { keepaliveTimeoutMs } from '../../../rest-facade/core-client/core-connection.js';
import { plainText } from '../../../rest-facade/core-client/core-trust.js';
import { loadRpcs } from '../../../rest-facade/protos/rpcs.js';
import { eventually } from '../../helpers/eventually.js';
import { bindServer } from '../../helpers/net/grpc.js';
import { answerAll } from '../answers.js';
import { detectFace, type ErrorBody, startFacade, withKey } from '../facade.js';
import {
  CoreRefusal,
  type FakeCore,
  type ReceivedCall,
  type Script,
  startFakeCore,
  toStatusObject,
} from '../fake-core.js';

// Cores that come and go behind one facade.

const answerLater: Script = async (call) => {
  await sleep(20);
  return answerAll(call);
};

/** Larger than what grpc-js keeps for retries of its own. */
const picture = Buffer.alloc(1.1 * 1024 * 1024);

/** Detects and sets scores without a pause; `stop` says which statuses were answered. */
function startClients(url: string) {
  const statuses: Record<string, number> = {};
  let stopped = false;
  const loop = async (send: () => Promise<Response>) => {
    while (!stopped) {
      const { status } = await send();
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  const detect = () => detectFace(url, picture);
  const set = () => fetch(`${url}/face_config_score?detection=1`, { headers: withKey });
  const loops = [detect, set].map(loop);
  return async () => {
    stopped = true;
    await Promise.all(loops);
    return statuses;
  };
}

async function untilCalled(core: FakeCore, count: number): Promise<void> {
  const wanted = core.calls.length + count;
  await eventually(() => core.calls.length >= wanted);
}

/** A facade before a list of cores with these scripts. */
async function startReplicas(t: TestContext, ...scripts: readonly Script[]) {
  const cores = await Promise.all(scripts.map((script) => startFakeCore(t, script)));
  const list = cores.map(({ port }) => `127.0.0.1:${port}`).join();
  const { url } = await startFacade(t, 0, { REST_CORE_ADDRESS: `ipv4:${list}` });
  return { cores, url };
}

const askScore = (url: string) => fetch(`${url}/face_config_score?detection`, { headers: withKey });

for (const [reason, hasBegun, isRepeated] of [
  ['SHUTTING_DOWN', false, true],
  ['SHUTTING_DOWN', true, false],
  // No worker is left.
  ['WORKER_LOST', false, true],
  ['WORKER_LOST', true, false],
  ['STORE_UNAVAILABLE', false, false],
  ['A_NEWER_REASON', false, false],
] as const)
  test(`a call that a core refuses for ${reason}${hasBegun ? ', begun,' : ''} is ${isRepeated ? '' : 'not '}sent to another`, async (t) => {
    const refuse: Script = (call) => {
      if (hasBegun) call.begin();
      throw new CoreRefusal(status.UNAVAILABLE, reason, 'later');
    };
    const { cores, url } = await startReplicas(t, refuse, answerAll);
    const detect = async () => (await detectFace(url, picture)).status;
    // Until the facade has a connection to each, it knows of no other.
    await eventually(async () => {
      await detect();
      return cores.every(({ calls }) => calls.length > 0);
    });
    const statuses = [await detect(), await detect(), await detect(), await detect()];
    assert.equal(statuses.includes(503), !isRepeated, String(statuses));
  });

test('a call is repeated once, even if nobody can help', async (t) => {
  const refuse: Script = () => {
    throw new CoreRefusal(status.UNAVAILABLE, 'SHUTTING_DOWN', 'later');
  };
  const { cores, url } = await startReplicas(t, refuse, refuse);
  assert.equal((await askScore(url)).status, 503);
  assert.equal(cores.flatMap(({ calls }) => calls).length, 2);
});

test('a call whose core stood still until its connection was lost is not sent to another', async (t) => {
  let now = 1_000;
  const calls: ReceivedCall[] = [];
  const lose: Script = (call) => {
    calls.push(call);
    now += keepaliveTimeoutMs;
    throw new CoreRefusal(status.UNAVAILABLE, undefined, 'Connection dropped');
  };
  const { url } = await startReplicas(t, lose, lose);
  t.mock.method(performance, 'now', () => now);
  assert.deepEqual([(await askScore(url)).status, calls.length], [503, 1]);
});

for (const leaving of ['kill', 'leave'] as const)
  test(`no request fails while cores ${leaving} and come back`, { timeout: 60_000 }, async (t) => {
    const { cores, url } = await startReplicas(t, answerLater, answerLater, answerLater);
    const stop = startClients(url);
    for (const [index, core] of cores.entries()) {
      await untilCalled(core, 1);
      await core[leaving]();
      const other = cores[(index + 1) % cores.length] as FakeCore;
      await untilCalled(other, 3);
      cores[index] = await startFakeCore(t, answerLater, core.port);
      await untilCalled(cores[index], 1);
    }
    const statuses = await stop();
    assert.deepEqual(Object.keys(statuses), ['200']);
    t.diagnostic(`${statuses['200']} requests`);
  });

for (const isBegun of [false, true])
  test(`a call that breaks off ${isBegun ? 'once it is begun is refused' : 'before it is begun goes to another core'}`, async (t) => {
    let calls = 0;
    const script: Script = (call) => {
      calls += 1;
      if (calls > 1) return answerAll(call);
      if (isBegun) call.begin();
      // As grpc-js has it of a connection that is lost.
      throw new CoreRefusal(status.UNAVAILABLE, undefined, 'Connection dropped');
    };
    const { url } = await startReplicas(t, script, script);
    const answer = await askScore(url);
    assert.deepEqual([answer.status, calls], isBegun ? [503, 1] : [200, 2]);
    if (!isBegun) return;
    // Nor shall the caller send it again by itself.
    const { details } = (await answer.json()) as ErrorBody;
    assert.deepEqual(details, { begun: 'true' });
    assert.equal(answer.headers.get('retry-after'), null);
  });

/** A facade before a core that takes only streams. */
async function startStreaming(
  t: TestContext,
  streamDetectFaces: FaceDetectionServiceServer['streamDetectFaces'],
): Promise<string> {
  const server = new Server();
  server.addService(FaceDetectionServiceService, { streamDetectFaces });
  return (await startFacade(t, await bindServer(t, server))).url;
}

function sendBatch(url: string, pictures: number): Promise<Response> {
  const body = new FormData();
  for (let index = 0; index < pictures; index += 1) body.append('file', new Blob(['x']), `${index}`);
  return fetch(`${url}/v1/faces/batch`, { method: 'POST', headers: withKey, body });
}

// More than are passed on at a time; and so few that all have been when the core leaves.
for (const pictures of [20, 3])
  test(`of ${pictures} pictures of a batch, those that a leaving core has not taken go to the next one`, async (t) => {
    const taken: string[] = [];
    let streams = 0;
    const url = await startStreaming(t, (stream) => {
      streams += 1;
      const isLeaving = streams === 1;
      stream.on('end', () => stream.end());
      stream.on('data', ({ id }: StreamDetectFacesRequest) => {
        if (isLeaving && taken.length > 0) return;
        taken.push(id);
        stream.write({ id, result: { $case: 'response', value: DetectAllFacesResponse.create() } });
        const leaves = new CoreRefusal(status.UNAVAILABLE, 'SHUTTING_DOWN', 'later');
        if (isLeaving) stream.emit('error', toStatusObject(leaves));
      });
    });
    const lines = (await (await sendBatch(url, pictures)).text()).trim().split('\n');
    const shown = lines.map((line) => JSON.parse(line) as { index?: number; message: string });
    const success = taken.map((id) => [Number(id), 'success']);
    assert.deepEqual(
      shown.map(({ index, message }) => [index, message]),
      success,
    );
    assert.deepEqual([streams, taken.length, new Set(taken).size], [2, pictures, pictures]);
  });

for (const isBegun of [false, true])
  test(`the pictures of a batch that breaks off ${isBegun ? 'once one is begun shall not be sent again by a program' : 'before one is begun may be sent again'}`, async (t) => {
    const url = await startStreaming(t, (stream) =>
      stream.once('data', () => {
        if (isBegun) stream.sendMetadata(new Metadata());
        stream.emit('error', { code: status.UNAVAILABLE, details: 'Connection dropped' });
      }),
    );
    const answer = await sendBatch(url, 2);
    const { reason, details } = (await answer.json()) as ErrorBody;
    const expected = [503, 'CORE_UNAVAILABLE', isBegun ? { begun: 'true' } : {}];
    assert.deepEqual([answer.status, reason, details], expected);
  });

for (const reason of ['CORE_UNAVAILABLE', 'SHUTTING_DOWN'])
  test(`a change by the administration that ends with ${reason} is not sent again: it may have been stored`, async (t) => {
    const core = await startFakeCore(t, ({ begin }) => {
      if (core.calls.length === 1)
        throw new CoreRefusal(
          status.UNAVAILABLE,
          reason === 'SHUTTING_DOWN' ? reason : undefined,
          'Connection dropped',
        );
      begin();
      throw new CoreRefusal(status.ALREADY_EXISTS, 'COMPANY_EXISTS', 'name is registered');
    });
    const ports = { REST_CORE_ADMIN_ADDRESS: `127.0.0.1:${core.port}`, REST_ADMIN_PORT: '0' };
    const { facade } = await startFacade(t, core.port, ports);
    const answer = await fetch(`http://127.0.0.1:${facade.adminPort}/v1/admin/companies`, {
      method: 'POST',
      headers: { adminkey: 'k', 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'acme', password: 'secret-secret' }),
    });
    const body = (await answer.json()) as ErrorBody;
    assert.deepEqual([answer.status, body.reason, core.calls.length], [503, reason, 1]);
  });

test('a core that is added behind a name is used, with no request failed', async (t) => {
  const addresses = ['127.0.0.1'];
  t.mock.method(dns.promises, 'lookup', () => Promise.resolve(addresses.map((address) => ({ address, family: 4 }))));
  const first = await startFakeCore(t, answerLater);
  const second = await startFakeCore(t, answerLater, first.port, '127.0.0.2');
  const core = createCoreClient(`core.test:${first.port}`, plainText, 100);
  t.after(() => core.close());

  const rpc = loadRpcs().find(({ path }) => path.endsWith('/GetDetectionScore'));
  assert.ok(rpc);
  const { signal } = new AbortController();
  let stopped = false;
  const loop = async () => {
    while (!stopped) {
      const deadline = performance.now() + 10_000;
      const caller = { apiKey: 'k', requestId: 'r', clientAddress: '127.0.0.1' };
      await core.call(rpc, {}, { ...caller, deadline, signal });
    }
  };
  const loops = [loop(), loop()];
  // Several renewals in which nothing is new.
  await Promise.all([untilCalled(first, 20), sleep(350)]);
  assert.equal(second.calls.length, 0);
  addresses.push('127.0.0.2');
  await untilCalled(second, 10);
  await untilCalled(first, 10);
  stopped = true;
  await Promise.all(loops);
});
