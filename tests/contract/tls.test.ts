import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { before, describe, it, type TestContext } from 'node:test';
import { connect, type ConnectionOptions, type SecureVersion } from 'node:tls';
import { type ChannelCredentials, credentials, status } from '@grpc/grpc-js';
import { pino } from 'pino';
import { createConfig } from '../../core-server/compose/config.js';
import { AdminServiceClient, type CreateApiKeyResponse } from '../../generated/imageanalysis/v1/admin.js';
import {
  type DetectSingleFaceResponse,
  FaceDetectionServiceClient,
} from '../../generated/imageanalysis/v1/face_detection.js';
import { createCoreClient } from '../../rest-facade/core-client/core-client.js';
import { createApp } from '../../rest-facade/server/app.js';
import { startHttpServer } from '../../rest-facade/server/http/http-server.js';
import { collectLog } from '../helpers/collect-log.js';
import { createLifetime } from '../helpers/lifetime.js';
import { type Authority, createAuthority, type Identity } from '../helpers/net/certificates.js';
import { createForm } from '../helpers/net/form.js';
import { metadataWithKey, unaryCall } from '../helpers/net/grpc.js';
import { openStage, scriptedPicture, scriptedWorkerUrl } from '../helpers/pictures/scripted-pictures.js';
import { adminKey, startTestCore, type TestCore } from '../helpers/service/start-core.js';
import { startFacade } from '../rest-facade/facade.js';
import { openSocket } from '../rest-facade/raw-http.js';

const log = pino({ level: 'silent' });
const lifetime = createLifetime();
const portrait = scriptedPicture('portrait', 'answer', { cropBytes: 1 });

describe('TLS', () => {
  let authority: Authority;
  let stranger: Authority;
  let server: Identity;
  let client: Identity;
  let core: TestCore;
  let apiKey: string;

  before(async () => {
    openStage(lifetime);
    authority = await createAuthority(lifetime);
    stranger = await createAuthority(lifetime);
    server = await authority.issue('server');
    client = await authority.issue('client');
    core = await startSecureCore(lifetime, {});
    apiKey = (await createKey(trusting(client))).secret;
  });

  /** Starts a core whose clients need a certificate of the authority. */
  function startSecureCore(t: Pick<TestContext, 'after'>, environment: Record<string, string>, coreLog = log) {
    const tls = {
      CORE_TLS_CERT: server.certFile,
      CORE_TLS_KEY: server.keyFile,
      CORE_TLS_CLIENT_CA: authority.certFile,
    };
    const settings = { CORE_SHUTDOWN_GRACE_MS: '0', ...tls, ...environment };
    return startTestCore(t, settings, { log: coreLog, workerUrl: scriptedWorkerUrl });
  }

  /** What a client believes (the authority) and proves itself with. */
  function trusting(identity: Identity | undefined, believed = authority): ChannelCredentials {
    const ca = Buffer.from(believed.cert);
    if (identity === undefined) return credentials.createSsl(ca);
    return credentials.createSsl(ca, Buffer.from(identity.key), Buffer.from(identity.cert));
  }

  const soon = () => ({ deadline: Date.now() + 10_000 });

  function createKey(channel: ChannelCredentials): Promise<CreateApiKeyResponse> {
    const admin = new AdminServiceClient(`localhost:${core.adminPort}`, channel);
    const wanted = { label: 'test', operations: [], expireTime: undefined };
    const metadata = metadataWithKey('', { adminkey: adminKey });
    return unaryCall<CreateApiKeyResponse>((done) => admin.createApiKey(wanted, metadata, soon(), done)).finally(() =>
      admin.close(),
    );
  }

  function detectOverGrpc(channel: ChannelCredentials): Promise<DetectSingleFaceResponse> {
    const faces = new FaceDetectionServiceClient(`localhost:${core.port}`, channel);
    const asked = { image: portrait, company: '', minScore: undefined, landmarks: false, details: false };
    return unaryCall<DetectSingleFaceResponse>((done) =>
      faces.detectSingleFace(asked, metadataWithKey(apiKey), soon(), done),
    ).finally(() => faces.close());
  }

  /** Starts a facade with HTTPS. */
  async function startHttps(t: TestContext, environment: Record<string, string> = {}) {
    const { facade } = await startFacade(t, core.port, {
      REST_CORE_ADDRESS: `localhost:${core.port}`,
      REST_SHUTDOWN_GRACE_MS: '0',
      REST_TLS_CERT: server.certFile,
      REST_TLS_KEY: server.keyFile,
      ...environment,
    });
    return facade;
  }

  /** Posts the portrait to a facade with HTTPS. */
  async function detectOverRest(t: TestContext, environment: Record<string, string>) {
    const facade = await startHttps(t, environment);
    const encoded = new Response(createForm(portrait));
    return await post(facade.port, encoded, authority.cert);
  }

  async function post(port: number, body: Response, ca: string) {
    const bytes = Buffer.from(await body.arrayBuffer());
    const headers = { apikey: apiKey, 'content-type': body.headers.get('content-type') ?? '' };
    const options = { host: '127.0.0.1', port, ca, headers, method: 'POST', agent: false as const };
    const asked = request({ ...options, path: '/face_detect_single' }).end(bytes);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, body: JSON.parse(await text(answer)) as Record<string, unknown> };
  }

  it('serves a client with a certificate of the authority', async () => {
    const { face } = await detectOverGrpc(trusting(client));
    assert.ok(face);
  });

  it('serves no client without a certificate of the authority, and no plain text', async () => {
    const foreign = await stranger.issue('client');
    for (const channel of [trusting(undefined), trusting(foreign), credentials.createInsecure()]) {
      await assert.rejects(detectOverGrpc(channel), { code: status.UNAVAILABLE });
      await assert.rejects(createKey(channel), { code: status.UNAVAILABLE });
    }
  });

  it('says in the log of the core why a client was not served', async (t) => {
    const foreign = await stranger.issue('client');
    const collected = collectLog();
    const { port } = await startSecureCore(t, {}, collected.log);
    const options = { host: 'localhost', port, ca: authority.cert };
    for (const [identity, why] of [
      [{ cert: foreign.cert, key: foreign.key }, 'CERT_SIGNATURE_FAILURE'],
      [{}, 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE'],
    ] as const) {
      connect({ ...options, ...identity }).on('error', () => undefined);
      await collected.waitFor(({ msg, problem }) => msg === 'TLS handshake failed' && problem === why);
    }
  });

  it('tells browsers to come back by TLS only', async (t) => {
    const { port } = await startHttps(t);
    const options = { host: '127.0.0.1', port, ca: authority.cert, agent: false as const };
    const asked = request({ ...options, path: '/livez' }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000');
    // Answered below the application.
    for (const bytes of ['GET / HT\r\n\r\n', 'CONNECT x HTTP/1.1\r\n\r\n']) {
      const socket = connect({ host: 'localhost', port, ca: authority.cert });
      socket.write(bytes);
      assert.match(await text(socket), /^strict-transport-security: max-age=31536000\r$/m);
    }
  });

  it('serves HTTPS before a core that asks for a certificate, by another name when told so, and no other', async (t) => {
    const own = {
      REST_CORE_TLS_CA: authority.certFile,
      REST_CORE_TLS_CERT: client.certFile,
      REST_CORE_TLS_KEY: client.keyFile,
    };
    const statusWith = async (name: object) => (await detectOverRest(t, { ...own, ...name })).status;
    assert.equal(await statusWith({}), 200);
    assert.equal(await statusWith({ REST_CORE_TLS_NAME: 'localhost' }), 200);
    assert.equal(await statusWith({ REST_CORE_TLS_NAME: 'core.example' }), 503);
  });

  it('serves HTTPS from a router in a server of your own, before such a core', async (t) => {
    const facing = createCoreClient(`localhost:${core.port}`, { credentials: trusting(client) });
    t.after(() => facing.close());
    const identity = { cert: Buffer.from(server.cert), key: Buffer.from(server.key) };
    const own = await startHttpServer(createApp({ core: facing }), { host: '127.0.0.1', port: 0, identity });
    t.after(() => own.close(0));
    assert.equal((await post(own.port, new Response(createForm(portrait)), authority.cert)).status, 200);
  });

  for (const [what, believed] of [
    ['without TLS', undefined],
    ['that believes another authority', 'stranger'],
    ['without a certificate of its own', 'authority'],
  ] as const) {
    it(`answers 503 from a facade ${what}`, async (t) => {
      const ca = { stranger, authority }[believed ?? 'authority'].certFile;
      const answer = await detectOverRest(t, believed ? { REST_CORE_TLS_CA: ca } : {});
      assert.equal(answer.status, 503);
      assert.equal(answer.body['reason'], 'CORE_UNAVAILABLE');
    });
  }

  it('speaks no TLS that a lost key would reveal, on any port', async (t) => {
    const facade = await startHttps(t);
    const identity = { cert: client.cert, key: client.key };
    for (const port of [core.port, core.adminPort, facade.port]) {
      const shake = (ciphers: string, maxVersion: SecureVersion) =>
        shakeHands({ ...identity, host: 'localhost', port, ca: authority.cert, ciphers, maxVersion });
      const good = 'ECDHE-ECDSA-AES128-GCM-SHA256';
      assert.equal(await shake(good, 'TLSv1.2'), good);
      assert.equal(await shake('TLS_AES_256_GCM_SHA384', 'TLSv1.3'), 'TLS_AES_256_GCM_SHA384');
      // At OpenSSL's own level of security a client may not offer some of them.
      for (const weak of ['ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-CCM8', 'AES128-SHA'])
        await assert.rejects(shake(`${weak}:@SECLEVEL=0`, 'TLSv1.2'), /handshake failure/, `${weak} at ${port}`);
      await assert.rejects(shake('DEFAULT@SECLEVEL=0', 'TLSv1.1'), /protocol version/);
    }
  });

  it('closes a connection without a handshake, on any port', async (t) => {
    const facade = await startHttps(t, { REST_REQUEST_TIMEOUT_MS: '100' });
    const hasty = await startSecureCore(t, { CORE_MAX_DEADLINE_MS: '100' });
    for (const port of [facade.port, hasty.port, hasty.adminPort ?? 0]) {
      const hello = Buffer.from([0x16, 3, 1, 2, 0, 1, 0]); // the beginning of one
      for (const bytes of [undefined, hello]) {
        const socket = await openSocket(port);
        if (bytes) socket.write(bytes);
        await once(socket.resume(), 'close');
      }
    }
  });

  it('stops while connections shake no hands', async (t) => {
    const facade = await startHttps(t);
    const stopped = await startSecureCore(t, {});
    for (const server of [facade, stopped]) {
      const { port } = server;
      const socket = await openSocket(port);
      t.after(() => socket.destroy());
      await shakeHands({ ...client, host: 'localhost', port, ca: authority.cert }); // came later
      await server.close();
    }
  });

  it('names the setting of a file that it cannot use, and why, but shows no key that was given in its place', async (t) => {
    const folder = path.dirname(server.certFile);
    const [empty, rsaKey] = [path.join(folder, 'empty.pem'), path.join(folder, 'rsa.key')];
    await writeFile(empty, ''); // a secret that has not been filled
    // As of a certificate that is being renewed.
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await writeFile(rsaKey, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const pair = 'want a certificate and its private key without a passphrase; .*mismatch';
    const table: [setting: string, value: string, message: string][] = [
      ['CORE_TLS_CERT', server.keyFile, 'CORE_TLS_CERT is ".*": want a PEM file with a certificate'],
      ['CORE_TLS_KEY', server.certFile, 'CORE_TLS_KEY is ".*": want a PEM file with a private key'],
      ['CORE_TLS_KEY', folder, 'CORE_TLS_KEY is ".*": want a PEM file with a private key; EISDIR: .*'],
      ['CORE_TLS_KEY', client.keyFile, `CORE_TLS_CERT is ".*" and CORE_TLS_KEY is ".*": ${pair}`],
      ['CORE_TLS_CLIENT_CA', empty, 'CORE_TLS_CLIENT_CA is ".*": want a PEM file with a certificate'],
      ['REST_CORE_TLS_CA', empty, 'REST_CORE_TLS_CA is ".*": want a PEM file with a certificate'],
      ['REST_TLS_KEY', `${folder}/none.key`, 'REST_TLS_KEY is ".*": want a PEM file with a private key; ENOENT: no .*'],
      ['REST_TLS_KEY', client.keyFile, `REST_TLS_CERT is ".*" and REST_TLS_KEY is ".*": ${pair}`],
      ['REST_TLS_KEY', rsaKey, `REST_TLS_CERT is ".*" and REST_TLS_KEY is ".*": ${pair}`],
      ...[server.key, server.key.replaceAll('\n', '\\n')].map((text): [string, string, string] => [
        ...(['REST_TLS_KEY', text] as const),
        'REST_TLS_KEY is set to a text in PEM: want a PEM file with a private key',
      ]),
    ];
    for (const [setting, value, message] of table) {
      const start = setting.startsWith('CORE') ? startSecureCore : startHttps;
      await assert.rejects(start(t, { [setting]: value }), new RegExp(`^ConfigError: ${message}$`));
    }
  });

  it('does not start with a file of which certificates are cut off', async (t) => {
    const half = path.join(path.dirname(server.certFile), 'half.crt');
    const whole = /^ConfigError: [A-Z_]+_CA is ".*": want a PEM file with whole certificates; /;
    const certificate = authority.cert.trimEnd();
    for (const cut of [
      certificate.slice(0, 300),
      `${certificate}\n${certificate.slice(0, 300)}`,
      certificate.repeat(2),
    ]) {
      await writeFile(half, cut);
      await assert.rejects(startSecureCore(t, { CORE_TLS_CLIENT_CA: half }), whole);
      await assert.rejects(startHttps(t, { REST_CORE_TLS_CA: half }), whole);
    }
  });

  it('names each TLS setting of the core that lacks its companion', () => {
    assert.throws(
      () => createConfig({ CORE_TLS_CERT: 'a', CORE_TLS_CLIENT_CA: 'b' }),
      /CORE_TLS_CERT is set: want CORE_TLS_KEY/,
    );
    assert.throws(() => createConfig({ CORE_TLS_CLIENT_CA: 'b' }), /CORE_TLS_CLIENT_CA is set: want CORE_TLS_CERT/);
  });
});

/** The cipher that both sides agree on. */
async function shakeHands(options: ConnectionOptions): Promise<string> {
  const socket = connect({ minVersion: 'TLSv1.1', ALPNProtocols: ['h2', 'http/1.1'], ...options });
  try {
    await once(socket, 'secureConnect');
    return socket.getCipher().name;
  } finally {
    socket.destroy();
  }
}
