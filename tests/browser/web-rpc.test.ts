import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { noChromium, startBrowser } from '../helpers/browser.js';
import { createLifetime } from '../helpers/lifetime.js';
import { readSample } from '../helpers/pictures/samples.js';
import { startService, type TestService } from '../helpers/service/service.js';

// A page of another origin calls the service by the client that such pages use, which it loads as modules.

const lifetime = createLifetime();
const root = fileURLToPath(new URL('../../../', import.meta.url));
const origin = 'https://app.example';

const html = `<!doctype html><title>app</title>
<script type="importmap">
{
  "imports": {
    "@bufbuild/protobuf": "/@bufbuild/protobuf/dist/esm/index.js",
    "@bufbuild/protobuf/codegenv2": "/@bufbuild/protobuf/dist/esm/codegenv2/index.js",
    "@bufbuild/protobuf/reflect": "/@bufbuild/protobuf/dist/esm/reflect/index.js",
    "@bufbuild/protobuf/wire": "/@bufbuild/protobuf/dist/esm/wire/index.js",
    "@bufbuild/protobuf/wkt": "/@bufbuild/protobuf/dist/esm/wkt/index.js",
    "@connectrpc/connect": "/@connectrpc/connect/dist/esm/index.js",
    "@connectrpc/connect/protocol": "/@connectrpc/connect/dist/esm/protocol/index.js",
    "@connectrpc/connect/protocol-connect": "/@connectrpc/connect/dist/esm/protocol-connect/index.js",
    "@connectrpc/connect/protocol-grpc": "/@connectrpc/connect/dist/esm/protocol-grpc/index.js",
    "@connectrpc/connect/protocol-grpc-web": "/@connectrpc/connect/dist/esm/protocol-grpc-web/index.js",
    "@connectrpc/connect-web": "/@connectrpc/connect-web/dist/esm/index.js"
  }
}
</script>
<script type="module">
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
};
</script>`;

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
    const picture = await readSample('astronaut.jpg');
    await page.route(`${origin}/**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html });
      if (pathname === '/picture') return route.fulfill({ body: picture });
      const file = pathname === '/descriptors.binpb' ? `generated${pathname}` : `node_modules${pathname}`;
      const contentType = file.endsWith('.js') ? 'text/javascript' : 'application/octet-stream';
      return route.fulfill({ contentType, body: await readFile(path.join(root, file)) });
    });
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
