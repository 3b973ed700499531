import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { credentials, type Metadata } from '@grpc/grpc-js';
import {
  DetectAllFacesRequest,
  FaceDetectionServiceClient,
  type StreamDetectFacesResponse,
} from '../../generated/imageanalysis/v1/face_detection.js';
import { findFreePorts } from '../../launcher/ports.js';
import { createLifetime } from '../helpers/lifetime.js';
import { type Authority, createAuthority, type Identity } from '../helpers/net/certificates.js';
import { metadataWithKey } from '../helpers/net/grpc.js';
import { proxies } from '../helpers/net/proxies.js';
import { scriptedPicture } from '../helpers/pictures/scripted-pictures.js';
import { startScripted } from '../helpers/service/scripted-service.js';
import { createTemporaryFolder } from '../helpers/temporary-folder.js';
import { answerAll, answers } from '../rest-facade/answers.js';
import { startBoth, type TestFacade } from '../rest-facade/facade.js';
import type { FakeCore } from '../rest-facade/fake-core.js';

// The examples of deploy/ as they stand, in the proxies that they are for.

const lifetime = createLifetime();

/** What nobody sends as a request: it stands in bodies. */
const hidden = 'GET /face_config_score?detection=0.77&company=a&password=p HTTP/1.1\r\nhost: x\r\napikey: k\r\n\r\n';
const length = `content-length: ${hidden.length}\r\n`;
const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n`;
const chunked = 'transfer-encoding: chunked\r\n';

const head = (line: string, headers = '') => `${line}\r\nhost: x\r\napikey: k\r\n${headers}\r\n`;
const last = head('GET /livez HTTP/1.1', 'connection: close\r\n');

const upgrades = [
  'connection: upgrade\r\nupgrade: websocket\r\n',
  'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n',
];

/** Bodies whose bounds nobody can mistake, of requests that are read, refused before their body, or want none. */
function* certain(): Generator<string[]> {
  const bodies = [
    [length, hidden],
    [chunked, `${chunk}0\r\n\r\n`],
    [chunked, `${chunk}0;a="b"\r\n\r\n`],
    [chunked, `${chunk}0\r\nupgrade: websocket\r\n\r\n`],
  ];
  for (const line of ['POST /meter-number-ocr/base64', 'POST /nowhere', 'GET /livez', 'GET http://elsewhere/livez'])
    for (const [framing, body] of bodies)
      for (const headers of ['', 'expect: 100-continue\r\n', ...upgrades]) {
        const first = head(`${line} HTTP/1.1`, `${framing}${headers}`);
        yield [first + body + last];
        yield [first, body + last];
      }
}

/** A request that may end its connection, and the head of another, whose body comes by itself. */
const beheaded = upgrades.map((headers) => [
  head('GET /livez HTTP/1.1', headers) + head('POST /nowhere HTTP/1.1', length),
  hidden + last,
]);

/** Where it is for the proxy to say what is a request: the facade must be of its opinion. */
const uncertain = [
  head('POST /nowhere HTTP/1.1', `${chunked}${length}`),
  head('POST /nowhere HTTP/1.1', `${length}${chunked}`),
  head('POST /nowhere HTTP/1.1', `content-length: 0\r\n${chunked}`),
  head('POST /nowhere HTTP/1.1', `content-length: 0\r\n${length}`),
  head('POST /nowhere HTTP/1.1', `content-length: 0, ${hidden.length}\r\n`),
  head('POST /nowhere HTTP/1.1', `content-length: +${hidden.length}\r\n`),
  head('POST /nowhere HTTP/1.1', `content-length : ${hidden.length}\r\n`),
  head('POST /nowhere HTTP/1.1', `content-length:\r\n ${hidden.length}\r\n`),
  head('POST /nowhere HTTP/1.1', `a: b\ncontent-length: ${hidden.length}\r\n`),
  head('POST /nowhere HTTP/1.1', `a: b\rcontent-length: ${hidden.length}\r\n`),
  head('POST /nowhere HTTP/1.1', 'transfer-encoding: xchunked\r\n'),
  head('POST /nowhere HTTP/1.1', 'transfer-encoding: chunked, identity\r\n'),
  head('POST /nowhere HTTP/1.1', `transfer-encoding: identity\r\n${chunked}`),
  head('POST /nowhere HTTP/1.1', `transfer-encoding:\vchunked\r\n${length}`),
  head('POST /nowhere HTTP/1.1', `transfer-encoding : chunked\r\n${length}`),
  head('POST /nowhere HTTP/1.1', `transfer_encoding: chunked\r\n${length}`),
  head('POST /nowhere HTTP/1.0', `connection: keep-alive\r\n${chunked}`),
  head('POST /nowhere HTTP/1.1', `connection: content-length\r\n${length}`),
  head('POST /nowhere HTTP/1.1', `content-length: ${40 * 2 ** 20}\r\n`),
  `${head('POST /nowhere HTTP/1.1', chunked)}0\n\n`,
  `${head('POST /nowhere HTTP/1.1', chunked)}0x0\r\n\r\n`,
  `${head('POST /nowhere HTTP/1.1', chunked)}00000000000000000\r\n\r\n`,
  head('CONNECT a:1 HTTP/1.1'),
  head('CONNECT a:1 HTTP/1.1', length),
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET /livez HTTP/1.1\nhost: x\n\n',
  'GET /livez\r\n',
];

/** Over TLS, as HTTP/1.1. Resolves to what came until the connection ended, or nothing came for a while. */
async function exchange(port: number, segments: readonly string[], patienceMs = 5_000): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  let text = '';
  socket.setEncoding('latin1').on('data', (data: string) => (text += data));
  // What is sent to a closed connection resets it.
  socket.on('error', () => undefined).setTimeout(patienceMs, () => socket.destroy());
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const [i, segment] of segments.entries()) {
    if (i > 0) await Promise.race([sleep(20), closed]);
    if (socket.writable) socket.write(segment);
  }
  await closed;
  return text;
}

/** Sends what is hostile; then others ask, on connections to the facade that are used again. */
async function assertApart(
  port: number,
  { core }: { core: FakeCore },
  segments: readonly string[],
  patienceMs?: number,
) {
  const before = core.calls.length;
  const text = await exchange(port, segments, patienceMs);
  for (const id of ['one', 'two']) {
    const own = await exchange(port, [head('GET /livez HTTP/1.1', `connection: close\r\nx-request-id: ${id}\r\n`)]);
    assert.match(own, /^HTTP\/1\.1 200 /, segments.join(''));
    assert.equal(own.match(/^x-request-id: (\S+)/im)?.[1], id, segments.join(''));
  }
  const scores = text.match(/"company":"acme"/g)?.length ?? 0;
  assert.equal(core.calls.length - before, scores, `executed, but not answered: ${segments.join('')}\n${text}`);
}

for (const proxy of proxies)
  describe(`the example for ${proxy.name}`, { skip: !proxy.isInstalled && `${proxy.name} is not installed` }, () => {
    let authority: Authority;
    let identity: Identity;

    before(async () => {
      authority = await createAuthority(lifetime);
      identity = await authority.issue('proxy');
    });

    const trusting = { REST_TRUSTED_PROXIES: '127.0.0.1' };

    async function startFacade(t: TestContext, change?: (configuration: string) => string, script = answerAll) {
      const facade: TestFacade & { core: FakeCore } = await startBoth(t, script, trusting);
      const port = await proxy.start(t, {
        restPort: facade.port,
        corePort: facade.core.port,
        identity,
        ...(change && { change }),
      });
      return { facade, port };
    }

    /** As many write it: what a client says of its connection, and its chunks, reach the facade. */
    const forwardAll = (example: string) =>
      example.replace(
        'proxy_set_header connection "";',
        'proxy_set_header upgrade $http_upgrade; proxy_set_header connection $http_connection;',
      );

    const ways = [['as it is', undefined] as const];
    const more = proxy.name === 'nginx' ? [['with all headers and chunks forwarded', forwardAll] as const] : [];
    for (const [what, change] of [...ways, ...more])
      it(`executes no body, and gives everyone their own answer, ${what}`, async (t) => {
        const { facade, port } = await startFacade(t, change);
        for (const segments of [...certain(), ...beheaded]) await assertApart(port, facade, segments);
        assert.deepEqual(facade.core.calls, []);
        for (const first of uncertain) {
          await assertApart(port, facade, [first + hidden + last], 1_500);
          await assertApart(port, facade, [first, hidden + last], 1_500);
        }
      });

    it('passes a large answer on as slowly as it is read', async (t) => {
      const cropJpeg = Buffer.alloc(24 * 2 ** 20);
      const faces = [{ ...answers.DetectAllFaces.faces[0], cropJpeg }];
      const { port } = await startFacade(t, undefined, () => ({ ...answers.DetectAllFaces, faces }));
      const headers = { apikey: 'k', 'content-type': 'image/jpeg' };
      const options = {
        host: '127.0.0.1',
        port,
        path: '/face_detect_multi',
        method: 'POST',
        ca: authority.cert,
        headers,
      };
      const asked = request(options).end(scriptedPicture('large', 'answer'));
      const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
      await sleep(500);
      const { result } = (await json(answer)) as { result: { face: string }[] };
      assert.equal(result[0]?.face, cropJpeg.toString('base64'));
    });

    if (proxy.name === 'nginx')
      it('logs no password of a URL', async (t) => {
        const log = path.join(await createTemporaryFolder(t), 'access.log');
        const { port } = await startFacade(t, (example) => example.replace('/var/log/nginx/access.log', log));
        const score = head(
          'GET /face_config_score?detection&company=a&password=secret HTTP/1.1',
          'connection: close\r\n',
        );
        assert.match(await exchange(port, [score]), /"detection_score":0\.8/);
        assert.match(await readFile(log, 'utf8'), /"GET \/face_config_score" 200 /);
      });

    it('tells the facade who the client is, whatever that claims', async (t) => {
      const { facade, port } = await startFacade(t);
      const asked = request({
        host: '127.0.0.1',
        port,
        path: '/livez',
        localAddress: '127.0.0.2',
        ca: authority.cert,
        headers: { 'x-forwarded-for': '192.0.2.1, 127.0.0.1' },
      }).end();
      const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
      await once(answer.resume(), 'end');
      assert.match(facade.logged(), /"client":"127\.0\.0\.2"/);
      assert.doesNotMatch(facade.logged(), /192\.0\.2\.1/);
    });

    function openFaceDetection(t: TestContext, port: number) {
      const trust = credentials.createSsl(Buffer.from(authority.cert));
      const client = new FaceDetectionServiceClient(`localhost:${port}`, trust);
      t.after(() => client.close());
      return client;
    }

    it('asks another of several facades or cores where one is gone', async (t) => {
      const [gone] = await findFreePorts(1);
      const withGone = (line: string) =>
        line.replace(/(?<=127\.0\.0\.1\D+)\d+/, String(gone)).replace(/facade|core/, 'gone') + line;
      const { port } = await startFacade(t, (example) =>
        example.replace(/^ *(server|- endpoint:) .*127\.0\.0\.1.*\n/gm, withGone),
      );
      const face = openFaceDetection(t, port);
      const detect = promisify<DetectAllFacesRequest, Metadata, unknown>(face.detectAllFaces.bind(face));
      for (let i = 0; i < 4; i++) {
        assert.match(await exchange(port, [last]), /^HTTP\/1\.1 200 /);
        await detect(DetectAllFacesRequest.create({ image: Buffer.from('a picture') }), metadataWithKey('k'));
      }
    });

    it('lets large pictures and long streams pass, and leaves refusals to the service', async (t) => {
      const { service } = await startScripted(t, trusting);
      const portOf = (address: string) => Number(address.split(':').at(-1));
      const port = await proxy.start(t, { restPort: portOf(service.rest), corePort: portOf(service.grpc), identity });

      const image = (bytes: number) => scriptedPicture('large', 'answer', { bytes }).toString('base64');
      const post = async (path: string, body: object) => {
        const asked = request({
          host: '127.0.0.1',
          port,
          path,
          method: 'POST',
          ca: authority.cert,
          headers: { apikey: service.apiKey, 'content-type': 'application/json' },
        });
        asked.end(JSON.stringify(body));
        const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
        return json(answer);
      };
      const reasonOf = async (bytes: number) => {
        const body = { image: `data:image/jpeg;base64,${image(bytes)}` };
        return ((await post('/meter-number-ocr/base64', body)) as { reason: string }).reason;
      };
      assert.equal(await reasonOf(10 * 2 ** 20 - 100), 'NO_READING');
      assert.equal(await reasonOf(10 * 2 ** 20), 'BODY_TOO_LARGE');
      // As pages call: the facade answers, on the paths of the core.
      const called = await post('/imageanalysis.v1.MeterReadingService/ReadMeter', { image: image(2 ** 20) });
      assert.equal((called as { details: { debug: { reason: string } }[] }).details[0]?.debug.reason, 'NO_READING');

      const face = openFaceDetection(t, port);
      const stream = face.streamDetectFaces(metadataWithKey(service.apiKey));
      const picture = scriptedPicture('of many', 'answer', { bytes: 3 * 2 ** 20 });
      const ids = Array.from({ length: 12 }, (_, i) => `picture ${i}`);
      for (const id of ids) stream.write({ id, request: DetectAllFacesRequest.create({ image: picture }) });
      stream.end();
      const got: string[] = [];
      for await (const { id, result } of stream as AsyncIterable<StreamDetectFacesResponse>) {
        assert.equal(result?.$case, 'response');
        got.push(id);
      }
      assert.deepEqual(got.sort(), ids.sort());
    });
  });
