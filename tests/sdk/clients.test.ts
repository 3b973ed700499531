import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { publicApi } from '../../rest-facade/apis.js';
import { loadRpcs, type Rpc } from '../../rest-facade/protos/rpcs.js';
import { createRoutes } from '../../rest-facade/request/create-routes.js';

// What clients and their tests have for each RPC, or each service, is written by hand: none is missing.

const rpcs = loadRpcs(publicApi.protoFiles);
const routed = [...new Set(createRoutes(rpcs).map(({ rpc }) => rpc))];
const serviceOf = ({ method }: Rpc) => method.parent?.name;
const lcFirst = (name: string) => name.replace(/^./, (letter) => letter.toLowerCase());
const toSnakeCase = (name: string) => lcFirst(name).replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

for (const [file, all, wantedFor] of [
  // A stream is a batch.
  [
    'sdk/typescript/rest-client.ts',
    routed,
    ({ method }) => `  ${lcFirst(method.name.replace(/^Stream(.*)/, '$1Batch'))}(`,
  ],
  ['sdk/typescript/client.ts', rpcs, (rpc) => `.${serviceOf(rpc)}Service, `],
  ['sdk/python/src/imageanalysis/client.py', rpcs, ({ method }) => `def ${toSnakeCase(method.name)}(`],
  ['sdk/go/client.go', rpcs, (rpc) => `v1.New${serviceOf(rpc)}Client(`],
  [
    'sdk/java/src/main/java/imageanalysis/client/ImageAnalysisClient.java',
    rpcs,
    (rpc) => `${serviceOf(rpc)}Grpc.newBlockingStub(`,
  ],
  ['sdk/rust/src/client.rs', rpcs, (rpc) => `${serviceOf(rpc)}Client::new(`],
  [
    'sdk/csharp/src/ImageAnalysis.Client/ImageAnalysisClient.cs',
    rpcs,
    (rpc) => `new ${serviceOf(rpc)}.${serviceOf(rpc)}Client(`,
  ],
  ['tests/generated-client/check.js', routed, ({ method }) => `api.${lcFirst(method.name)}(`],
] as [string, Rpc[], (rpc: Rpc) => string][])
  test(`${file} has what it wants for each RPC`, () => {
    const text = readFileSync(file, 'utf8');
    assert.deepEqual(
      all.map(wantedFor).filter((wanted) => !text.includes(wanted)),
      [],
    );
  });

test('the helper of Python has an argument for each field of a request', () => {
  const methods = readFileSync('sdk/python/src/imageanalysis/client.py', 'utf8').split('\n    def ');
  for (const { method, request, requestStream } of rpcs) {
    const text = methods.find((one) => one.startsWith(`${toSnakeCase(method.name)}(`)) ?? '';
    const names = requestStream ? [] : request.fieldsArray.map(({ name }) => name);
    const missing = names.filter((name) => !new RegExp(`\\b${name}=`).test(text));
    assert.deepEqual(missing, [], method.name);
  }
});

test('streams are named so, by which the client of Rust gives them no deadline', () => {
  for (const { method, requestStream } of rpcs) assert.equal(/^Stream/.test(method.name), requestStream, method.name);
});
