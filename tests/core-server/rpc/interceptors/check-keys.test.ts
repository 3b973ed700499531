import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  Metadata,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  type ServerMethodDefinition,
  type StatusObject,
} from '@grpc/grpc-js';
import { createAdminKeyCheck } from '../../../../core-server/access/keys/admin-key.js';
import { admitCalls, type KeyCheck } from '../../../../core-server/rpc/interceptors/admit-calls.js';
import { checkAdminKeys, checkApiKeys } from '../../../../core-server/rpc/interceptors/check-keys.js';
import { reasonOf } from '../../../../core-server/rpc/status.js';
import { Operation } from '../../../../generated/imageanalysis/v1/admin.js';
import { refuse } from '../../../../runtime/errors/refusal.js';
import { collectLog } from '../../../helpers/collect-log.js';
import { detailsOf, metadataWithKey } from '../../../helpers/net/grpc.js';
import { answer, call, openAccess, serve, withKey } from '../served-calls.js';

test('the interceptor refuses before the handler runs', async (t) => {
  let handled = 0;
  const client = await serve(
    t,
    () => {
      handled += 1;
      return Promise.resolve(answer);
    },
    {
      access: {
        ...openAccess,
        authenticate: (key) =>
          key === 'face'
            ? Promise.resolve({ id: 'k2', operations: [Operation.FACE_DETECTION] })
            : key === 'good'
              ? Promise.resolve({ id: 'k3', operations: [Operation.METER_READING] })
              : Promise.reject(refuse('INVALID_API_KEY', 'The API key is not valid.')),
        consume: () => (handled === 1 ? Promise.reject(refuse('RATE_LIMITED', 'Enough.')) : Promise.resolve()),
      },
    },
  );
  const reasonOf = async (metadata: Metadata) => {
    const error: unknown = await call(client, metadata).catch((caught: unknown) => caught);
    return detailsOf(error).reason;
  };
  const twice = withKey();
  twice.add('apikey', 'other');
  const empty = new Metadata();
  empty.set('apikey', '');
  for (const none of [new Metadata(), empty]) assert.equal(await reasonOf(none), 'MISSING_API_KEY');
  assert.equal(await reasonOf(twice), 'INVALID_API_KEY');
  assert.equal(await reasonOf(withKey('bad')), 'INVALID_API_KEY');
  assert.equal(await reasonOf(withKey('face')), 'KEY_NOT_ALLOWED');
  assert.equal(handled, 0);
  await call(client, withKey('good'));
  assert.equal(await reasonOf(withKey('good')), 'RATE_LIMITED');
  assert.equal(handled, 1);
});

test('a key without room is refused before it is looked up, without a line, but no stream is', async (t) => {
  const apiKey = `ia_${'0'.repeat(12)}_${'s'.repeat(43)}`;
  const { log, entries } = collectLog();
  let lookups = 0;
  let latest = 0;
  const client = await serve(t, () => Promise.resolve(answer), {
    log,
    access: {
      ...openAccess,
      authenticate: (...sent) => {
        lookups += 1;
        return openAccess.authenticate(...sent);
      },
      assertRoom: (keyId, deadline) => {
        latest = deadline;
        throw refuse('QUEUE_FULL', `${keyId} has none`);
      },
    },
  });
  const error: unknown = await call(client, withKey(apiKey), 60_000).catch((caught: unknown) => caught);
  assert.equal(detailsOf(error).reason, 'QUEUE_FULL');
  assert.ok(latest > Date.now() && latest <= Date.now() + 61_000, String(latest));
  assert.deepEqual(entries, []);
  assert.match(String(error), /ia_000000000000 has none/);
  assert.equal(lookups, 0);
  const stream = client.streamReadMeters(withKey(apiKey));
  stream.end();
  stream.resume();
  await once(stream, 'end');
  assert.equal(lookups, 1);
});

test('a call of a service that does not queue asks for no room', async (t) => {
  const client = await serve(t, () => Promise.resolve(answer), {
    access: {
      ...openAccess,
      services: openAccess.services.map((service) => ({ ...service, isQueued: false })),
      assertRoom: () => assert.fail('it needs none'),
    },
  });
  await call(client, withKey(`ia_${'0'.repeat(12)}_${'s'.repeat(43)}`));
});

/** `OK` for a call that has got past the interceptor by the next turn of the event loop, or why it was refused by then. */
async function outcomeOf(
  interceptor: ServerInterceptor,
  method: { readonly path: string; readonly requestStream: boolean },
  metadata: Metadata,
  peer = '127.0.0.1:1',
): Promise<string | undefined> {
  let end = () => {};
  let outcome: string | undefined;
  const wire = {
    stream: {},
    start: (listener: { onReceiveMetadata(metadata: Metadata): void; onCancel(): void }) => {
      end = () => listener.onCancel();
      listener.onReceiveMetadata(metadata);
    },
    getDeadline: () => Infinity,
    getPeer: () => peer,
    sendStatus: (sent: StatusObject) => (outcome = reasonOf(sent)),
  } as unknown as ServerInterceptingCallInterface;
  const onReceiveMetadata = (passed: Metadata) => {
    const hasKey = ['apikey', 'adminkey'].some((name) => passed.get(name).length > 0);
    outcome = hasKey ? 'passed on with its key' : 'OK';
  };
  const definition = method as ServerMethodDefinition<unknown, unknown>;
  interceptor(definition, wire).start({ onReceiveMetadata, onCancel: () => {} } as never);
  await setImmediate();
  end();
  return outcome;
}

test('a service that nobody has given an operation is closed; health and reflection need no key', async () => {
  const adminKey = metadataWithKey('', { adminkey: 'right' });
  const { log, entries } = collectLog();
  const doors: [KeyCheck, key: Metadata, opens: boolean][] = [
    [checkApiKeys(openAccess), withKey(), false],
    [checkAdminKeys(createAdminKeyCheck('right')), adminKey, true],
  ];
  for (const [checkKey, key, opens] of doors) {
    const interceptor = admitCalls(checkKey, { maxDeadlineMs: 5_000, isTrustedProxy: () => false, log });
    const letsIn = async (path: string, metadata = new Metadata()) =>
      (await outcomeOf(interceptor, { path, requestStream: false }, metadata)) === 'OK';
    assert.equal(await letsIn('/grpc.health.v1.Health/Check', key.clone()), true);
    assert.equal(await letsIn('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'), true);
    assert.equal(await letsIn('/imageanalysis.v1.NewService/Method'), false);
    assert.equal(await letsIn('/imageanalysis.v1.NewService/Method', key), opens);
  }
  assert.match(JSON.stringify(entries[0]), /no operation allows .*NewService/);
});

test('guesses of the admin key are slowed down by address for a minute, right ones are not', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'] });
  const { log } = collectLog();
  const isTrustedProxy = (address: string) => address === '10.0.0.3';
  const checkKey = checkAdminKeys(createAdminKeyCheck('right'));
  const interceptor = admitCalls(checkKey, { maxDeadlineMs: 5_000, isTrustedProxy, log });
  const method = { path: '/imageanalysis.v1.AdminService/ListApiKeys', requestStream: false };
  let port = 0;
  const guess = (sent: string, peer: string, client = 'unknown') => {
    const metadata = metadataWithKey('', { adminkey: sent, 'x-forwarded-for': client });
    // Each comes on a connection of its own.
    port += 1;
    return outcomeOf(interceptor, method, metadata, `${peer}:${port}`);
  };
  // Of one network.
  for (let host = 0; host < 10; host += 1) assert.equal(await guess('wrong', `2001:db8::${host}`), 'INVALID_API_KEY');
  assert.equal(await guess('wrong', '2001:db8::a'), 'RATE_LIMITED');
  assert.equal(await guess('right', '2001:db8::a'), 'RATE_LIMITED');
  for (let time = 0; time < 20; time += 1) assert.equal(await guess('right', '10.0.0.2'), 'OK');
  // Behind a facade, one caller does not lock out another, unless it invents addresses.
  const behind = (sent: string, client: number) => guess(sent, '10.0.0.3', `10.1.0.${client}`);
  for (let time = 0; time < 11; time += 1) await behind('wrong', 1);
  assert.deepEqual([await behind('right', 1), await behind('right', 2)], ['RATE_LIMITED', 'OK']);
  for (let client = 2; client < 92; client += 1) assert.equal(await behind('wrong', client), 'INVALID_API_KEY');
  assert.equal(await behind('wrong', 93), 'RATE_LIMITED');
  for (const [ms, reason] of [
    [59_999, 'RATE_LIMITED'],
    [1, 'OK'],
  ] as const) {
    t.mock.timers.tick(ms);
    assert.deepEqual([await guess('right', '2001:db8::a'), await behind('right', 1)], [reason, reason]);
  }
});

test('a refused key leaves a line, which shows its public id only', async (t) => {
  const { log, entries } = collectLog();
  const authenticate = () => Promise.reject(refuse('INVALID_API_KEY', 'apikey is not one of ours'));
  const handler = () => Promise.resolve(answer);
  const client = await serve(t, handler, { access: { ...openAccess, authenticate }, log });
  await assert.rejects(call(client, withKey('a-secret')));
  const id = `ia_${'0'.repeat(12)}`;
  await assert.rejects(call(client, withKey(`${id}_a-secret${'s'.repeat(35)}`)));
  const [{ msg, reason, method, client: from } = {}] = entries;
  assert.deepEqual([msg, reason], ['call refused', 'INVALID_API_KEY']);
  assert.deepEqual(
    entries.map(({ key_id: shown }) => shown),
    [undefined, id],
  );
  assert.match(String(method), /ReadMeter$/);
  assert.match(String(from), /^(127\.0\.0\.1|::1)$/);
  assert.doesNotMatch(JSON.stringify(entries), /a-secret/);
});

test('a fault in the check of the key is logged with the id of the request', async (t) => {
  const { log, entries } = collectLog();
  const cause = new Error('the disk is gone');
  const authenticate = () => Promise.reject(refuse('STORE_UNAVAILABLE', 'The store is away.', { cause }));
  const handler = () => Promise.resolve(answer);
  const client = await serve(t, handler, { access: { ...openAccess, authenticate }, log });
  const metadata = withKey();
  metadata.set('x-request-id', 'abc-123');
  await assert.rejects(call(client, metadata));
  const [{ request_id: requestId, reason, err } = {}, ...more] = entries;
  assert.deepEqual([requestId, reason], ['abc-123', 'STORE_UNAVAILABLE']);
  assert.match(JSON.stringify(err), /the disk is gone/);
  assert.deepEqual(more, []);
});
