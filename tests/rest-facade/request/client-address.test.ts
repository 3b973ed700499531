import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallContext } from '../../../rest-facade/core-client/core-client.js';
import { proxyList } from '../../../runtime/net/addresses.js';
import { deferred } from '../../helpers/deferred.js';
import { answerAll } from '../answers.js';
import { readRefusal, startBoth, withKey } from '../facade.js';
import { serveApp } from '../serve-app.js';

const client = '203.0.113.7';

test('the client is the last hop that is no trusted proxy', async (t) => {
  const seen: string[] = [];
  const core = {
    call: (_rpc: unknown, _message: object, { clientAddress }: CallContext) => {
      seen.push(clientAddress);
      return Promise.resolve({ company: 'acme', detection_score: 1 });
    },
  };
  const isTrustedProxy = proxyList.parse('127.0.0.1, 10.0.0.0/8, 2001:db8::/32');
  const port = await serveApp(t, { core, isTrustedProxy });
  const peer = '127.0.0.1';
  const table: [what: string, forwardedFor: string | undefined, address: string][] = [
    ['no header', undefined, peer],
    ['one proxy', client, client],
    ['one proxy, by IPv6', '2001:db9::7', '2001:db9::7'],
    ['one proxy, at a socket for both families', `${client}, ::ffff:10.0.0.1`, client],
    ['a port', `${client}:5678`, client],
    ['a port behind brackets', '[2001:db9::7]:5678', '2001:db9::7'],
    ['brackets', '[2001:db9::7]', '2001:db9::7'],
    ['a chain of two proxies that name ports', `${client}:5678, 10.0.0.2:80, [2001:db8::1]:80`, client],
    ['no port', `${client}:`, peer],
    ['a chain of two proxies', `${client}, 10.0.0.2`, client],
    ['a claim before what the proxies add', `1.2.3.4,${client} ,10.0.0.2`, client],
    ['a claim of another proxy', `10.0.0.9, ${client}`, client],
    ['a client that is a proxy itself', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a proxy that names nothing', '', peer],
    ['rubbish', 'unknown', peer],
    ['rubbish behind a proxy', `${client}, <script>, 10.0.0.2`, peer],
    ['commas', ',,', peer],
  ];
  for (const [what, forwardedFor, address] of table) {
    const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
    await fetch(`http://127.0.0.1:${port}/v1/companies/acme/detection-score`, { headers: { ...withKey, ...headers } });
    assert.equal(seen.pop(), address, what);
  }
});

for (const [trusted, seen] of [
  [undefined, '127.0.0.1'],
  ['10.0.0.0/8', '127.0.0.1'],
  ['10.0.0.0/8, 127.0.0.1', client],
] as const)
  test(`the core and the log have ${seen} where ${trusted ?? 'nobody'} is trusted`, async (t) => {
    const env = trusted === undefined ? {} : { REST_TRUSTED_PROXIES: trusted };
    const { url, core, logged } = await startBoth(t, answerAll, env);
    await fetch(`${url}/v1/companies/acme/detection-score`, {
      headers: { ...withKey, 'x-company-password': 'p', 'x-forwarded-for': `${client}, 10.1.1.1` },
    });
    assert.deepEqual(core.calls[0]?.metadata.get('x-forwarded-for'), [seen]);
    assert.match(logged(), new RegExp(`"client":"${seen}"`));
  });

for (const [one, same, another] of [
  [client, client, '198.51.100.1'],
  ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'],
] as const)
  test(`${one} and ${same} are one client, which leaves ${another} room for its uploads`, async (t) => {
    const [first, other, end] = [deferred(), deferred(), deferred()];
    const { url } = await startBoth(
      t,
      async (call) => {
        (String(call.metadata.get('apikey')) === 'first' ? first : other).resolve();
        await end.promise;
        return answerAll(call);
      },
      { REST_TRUSTED_PROXIES: '127.0.0.1', REST_MAX_IMAGE_BYTES: '3000000', REST_MAX_BUFFERED_BYTES: '7621440' },
    );
    const upload = (key: string, address: string, bytes: number) =>
      fetch(`${url}/face_detect_multi`, {
        method: 'POST',
        headers: { apikey: key, 'x-forwarded-for': address, 'content-type': 'application/json' },
        body: JSON.stringify({ image: `data:image/png;base64,${Buffer.alloc(bytes).toString('base64')}` }),
      });
    const held = upload('first', one, 3_000_000);
    await first.promise;
    const refused = await readRefusal(await upload('second', same, 1_800_000));
    assert.deepEqual([refused.status, refused.reason, refused.details], [429, 'QUEUE_FULL', { field: 'memory' }]);
    const taken = upload('third', another, 1_800_000);
    await Promise.race([other.promise, taken]);
    end.resolve();
    assert.deepEqual([(await held).status, (await taken).status], [200, 200]);
  });
