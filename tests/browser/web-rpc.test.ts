import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Page, Route } from 'playwright-core';
import { noChromium, startBrowser } from '../helpers/browser.js';
import { createLifetime } from '../helpers/lifetime.js';
import { readSample } from '../helpers/pictures/samples.js';
import { startService, type TestService } from '../helpers/service/service.js';

// A page of another origin calls the service by the client that such pages use.

const lifetime = createLifetime();
const root = fileURLToPath(new URL('../../../', import.meta.url));
const origin = 'https://app.example';

const script = `
import { createFileRegistry, fromBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-web';

const bytesOf = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, await bytesOf('/descriptors.binpb')));

window.call = async ({ baseUrl, apiKey, protocol, useBinaryFormat, service, method, timeoutMs, ...request }) => {
  const create = protocol === 'Connect' ? createConnectTransport : createGrpcWebTransport;
  const type = registry.getService('imageanalysis.v1.' + service);
  const client = createClient(type, create({ baseUrl, useBinaryFormat }));
  const image = await bytesOf('/picture');
  try {
    const response = await client[method]({ image, ...request }, { headers: { apikey: apiKey }, timeoutMs });
    return toJson(type.method[method].output, response);
  } catch (error) {
    const { code, rawMessage, details, metadata } = ConnectError.from(error);
    const texts = details.map(({ value }) => new TextDecoder().decode(value));
    return { code: Code[code], message: rawMessage, details: texts.join(), requestId: metadata.get('x-request-id') };
  }
};`;

describe('a page that calls by Connect and gRPC-Web', { skip: noChromium }, () => {
  let service: TestService;
  let browser: Browser;
  let page: Page;

  before(async () => {
    service = await startService(lifetime, { REST_CORS_ORIGINS: origin });
    browser = await startBrowser();
    lifetime.after(() => browser.close());
    const context = await browser.newContext({ permissions: ['local-network-access'] });
    page = await context.newPage();
    const stdin = { contents: script, resolveDir: root };
    const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false });
    const html = '<!doctype html><title>app</title><script type="module" src="app.js"></script>';
    const files: Readonly<Record<string, Parameters<Route['fulfill']>[0]>> = {
      '/': { contentType: 'text/html', body: html },
      '/app.js': { contentType: 'text/javascript', body: outputFiles[0]?.text ?? '' },
      '/picture': { body: await readSample('astronaut.jpg') },
      '/descriptors.binpb': { path: `${root}generated/descriptors.binpb` },
    };
    await page.route(`${origin}/**`, (route) =>
      route.fulfill(files[new URL(route.request().url()).pathname] ?? { status: 404 }),
    );
    await page.goto(origin);
    await page.waitForFunction('window.call !== undefined');
  });

  const call = (options: object) =>
    page.evaluate<Record<string, unknown>>(
      `call(${JSON.stringify({ baseUrl: service.rest, apiKey: service.apiKey, ...options })})`,
    );

  const detect = { service: 'FaceDetectionService', method: 'detectAllFaces' };

  for (const protocol of ['Connect', 'gRPC-Web'])
    for (const useBinaryFormat of [true, false])
      it(`finds a face and reads a refusal by ${protocol}, ${useBinaryFormat ? 'Protobuf' : 'JSON'}`, async () => {
        const way = { protocol, useBinaryFormat };
        const found = await call({ ...way, ...detect, timeoutMs: 20_000 });
        const faces = found['faces'] as { detectionScore: number }[] | undefined;
        assert.equal(faces?.length, 1, JSON.stringify(found));
        assert.ok((faces[0]?.detectionScore ?? 0) > 0.9);

        const wrong = await call({ ...way, ...detect, apiKey: 'wrong' });
        assert.equal(wrong['code'], 'Unauthenticated');
        assert.match(String(wrong['details']), /INVALID_API_KEY/);
        assert.match(String(wrong['requestId']), /^[0-9a-f-]{36}$/);

        const noPicture = await call({ ...way, ...detect, image: null });
        assert.match(String(noPicture['details']), /EMPTY_IMAGE/);
      });
});
