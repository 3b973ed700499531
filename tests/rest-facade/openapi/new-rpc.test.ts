import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDocument } from '../../../rest-facade/openapi/create-document.js';
import { loadRpcs } from '../../../rest-facade/protos/rpcs.js';
import { createRoutes } from '../../../rest-facade/request/create-routes.js';
import type { Route } from '../../../rest-facade/request/route.js';
import { createResponder } from '../../../rest-facade/response/create-renderer.js';
import { createValidator, type OpenApiDocument } from '../../helpers/net/openapi.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';
import { limits, serveApp } from '../serve-app.js';

const protoDir = fileURLToPath(new URL('../../../../proto', import.meta.url));
const file = 'imageanalysis/v1/meter_reading.proto';

const rpc = `
  // Compares two photos of one meter. NO_READING if one has no readable counter.
  rpc CompareMeters(CompareMetersRequest) returns (CompareMetersResponse) {
    option (google.api.http) = {post: "/v1/meters/{meter}/compare" body: "*"};
    option (rest) = {
      bindings: {
        path: "/v1/meters/{meter}/compare"
        multipart: {file_part: "photo" file_field: "image"}
      }
      refusals: "NO_READING"
    };
  }
`;

const fileRpc = `
  // Draws a meter.
  rpc DrawMeter(DrawMeterRequest) returns (DrawMeterResponse) {
    option (google.api.http) = {get: "/v1/meters/{meter}/drawing"};
  }
`;

const fileMessages = `
// Asks for a drawing.
message DrawMeterRequest {
  // Which meter.
  string meter = 1 [(rules) = {required: true, example: "m-1"}];
}

// A drawing.
message DrawMeterResponse {
  option (rest_message).file = {body: "drawing" type: "kind" media_range: "image/*"};

  // The file.
  bytes drawing = 1;
  // Its type.
  string kind = 2;
  // Number of wheels.
  uint32 wheels = 3 [(rest_field).header = "x-wheels"];
  // Not shown.
  uint32 seconds = 4;
}
`;

const messages = `
// Asks for a comparison.
message CompareMetersRequest {
  // The photo.
  bytes image = 1 [(rules).required = true];
  // Which meter.
  string meter = 2 [(rules) = {required: true, example: "m-1"}];
  // Since when, in days.
  optional uint32 days = 3 [(rules) = {minimum: 1, maximum: 31, example: "7"}];
}

// A comparison.
message CompareMetersResponse {
  // How alike they are, 0..1.
  double likeness = 1 [
    (rules) = {pattern: "^[01][.][0-9]{2}$", example: "0.5"},
    (rest_field) = {name: "same", min_decimals: 2, max_decimals: 2}
  ];
  // What was used in between.
  Use use = 2 [(rest_field).inline = true];
  // Where the counters are.
  repeated BoundingBox boxes = 3;
  // How it was compared.
  Way way = 4;
  // Pulses; only on request.
  optional uint32 pulses = 5 [(rules).on_request = true];
}

// What was used.
message Use {
  // Amount.
  double amount = 1;
}

// A way to compare.
enum Way {
  option (rest_enum).lower_case = true;

  // Never sent.
  WAY_UNSPECIFIED = 0;
  // Digit by digit.
  WAY_BY_DIGITS = 1;
}
`;

/** The routes of the protos with one more RPC. */
async function routesWith(t: TestContext, added: string, ownMessages: string): Promise<Route[]> {
  const folder = await createTemporaryFolder(t);
  cpSync(protoDir, folder, { recursive: true });
  const text = readFileSync(join(folder, file), 'utf8');
  const [, service = ''] = /^(service MeterReadingService \{)$/m.exec(text) ?? [];
  writeFileSync(join(folder, file), text.replace(service, service + added) + ownMessages);
  return createRoutes(loadRpcs([file], [folder]));
}

test('a new RPC whose response is a file answers with its bytes', async (t) => {
  const routes = await routesWith(t, fileRpc, fileMessages);
  const drawing = Buffer.from('\x89PNG', 'latin1');
  const call = () => Promise.resolve({ drawing, kind: 'image/png', wheels: 8, seconds: 3 });
  const port = await serveApp(t, { routes, core: { call } });
  const response = await fetch(`http://127.0.0.1:${port}/v1/meters/m-1/drawing`, { headers: { apikey: 'k' } });
  assert.equal(response.status, 200);
  const { headers } = response;
  assert.deepEqual(
    ['content-type', 'content-length', 'x-wheels', 'seconds'].map((name) => headers.get(name)),
    ['image/png', '4', '8', null],
  );
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), drawing);
  const document = createDocument(routes, limits) as OpenApiDocument;
  const { 200: described, 400: refused } = document.paths['/v1/meters/{meter}/drawing']?.['get']?.responses ?? {};
  // What is in the path cannot be missing.
  assert.doesNotMatch(JSON.stringify(refused), /MISSING_FIELD/);
  assert.deepEqual(described, {
    description: 'A drawing.',
    headers: {
      'x-request-id': { $ref: '#/components/headers/RequestId' },
      'x-wheels': { description: 'Number of wheels.', schema: { type: 'integer', minimum: 0, maximum: 4294967295 } },
    },
    content: { 'image/*': { schema: { type: 'string', format: 'binary' } } },
  });
});

test('an RPC whose file is no bytes is refused at the start', async (t) => {
  const wrong = fileMessages.replace('body: "drawing"', 'body: "wheels"');
  const routes = await routesWith(t, fileRpc, wrong);
  const [route] = routes.filter(({ rpc: { method } }) => method.name === 'DrawMeter');
  assert.ok(route);
  assert.throws(() => createResponder(route.rpc.response, false), /DrawMeterResponse: file, want a field of bytes/);
});

test('a new RPC in the protos is a route, rendered, described and exemplified', async (t) => {
  const routes = await routesWith(t, rpc, messages);
  const sent: object[] = [];
  const box = { xmin: 1, ymin: 2, xmax: 3, ymax: 4 };
  const answer = { likeness: 1, use: { amount: 2 }, boxes: [box], way: 'WAY_BY_DIGITS' };
  const call = (_rpc: unknown, request: object) => {
    sent.push(request);
    return Promise.resolve({ ...answer, pulses: 12 });
  };
  const port = await serveApp(t, { routes, core: { call } });
  const form = new FormData();
  form.append('photo', new Blob(['bytes']), 'a.jpg');
  form.append('days', '7');
  const url = `http://127.0.0.1:${port}/v1/meters/m-1/compare`;
  const response = await fetch(url, { method: 'POST', headers: { apikey: 'k' }, body: form });
  const shown = await response.text();
  assert.equal(response.status, 200, shown);
  assert.deepEqual(sent, [{ image: Buffer.from('bytes'), meter: 'm-1', days: 7 }]);
  assert.equal(
    shown.replace(/(?<="process_time":)[\d.]+/, '0.1'),
    '{"message":"success","process_time":0.1,"same":"1.00","amount":2.0,' +
      '"boxes":[{"xmax":3.0,"xmin":1.0,"ymax":4.0,"ymin":2.0}],"way":"by_digits",' +
      '"pulses":12}',
  );

  const document = createDocument(routes, limits) as OpenApiDocument;
  const operation = document.paths['/v1/meters/{meter}/compare']?.['post'];
  assert.equal(operation?.operationId, 'compareMeters');
  assert.equal(operation['summary'], 'Compares two photos of one meter.');
  assert.deepEqual(
    operation.parameters?.map(({ name, example }) => [name, example]),
    [['meter', 'm-1']],
  );
  const formSchema = operation.requestBody?.content['multipart/form-data']?.schema;
  assert.deepEqual(Object.keys(formSchema?.['properties'] as object), ['photo', 'days']);
  const { schema = {}, example } = operation.responses['200']?.content['application/json'] ?? {};
  const validate = createValidator(document)(schema);
  assert.ok(validate(JSON.parse(shown)), JSON.stringify(validate.errors));
  assert.ok(validate(example), JSON.stringify(validate.errors));
  assert.deepEqual(example, {
    message: 'success',
    process_time: 0.021,
    same: '0.50',
    amount: 0,
    boxes: [{ xmax: 210.4, xmin: 98.1, ymax: 260.4, ymin: 120.7 }],
    way: 'by_digits',
  });
  const missing = operation.responses['400']?.content['application/json']?.examples ?? {};
  assert.deepEqual(missing['MISSING_FIELD']?.value, {
    message: 'photo is missing, want one file part with a filename',
    code: 'INVALID_ARGUMENT',
    reason: 'MISSING_FIELD',
    request_id: '5c1d6b0e-6c0e-4c53-9f0a-6f2a8f5e3b1d',
    details: { field: 'photo' },
  });
  assert.match(operation.responses['422']?.description ?? '', /NO_READING/);
});

test('of a new RPC that takes a picture alone, every refusal has an example', async (t) => {
  const alone = messages.replace(/.*\n.* days = 3 .*\n/, '');
  const document = createDocument(await routesWith(t, rpc, alone), limits) as OpenApiDocument;
  const { description = '', content } = document.paths['/v1/meters/{meter}/compare']?.['post']?.responses['400'] ?? {};
  const named = [...description.matchAll(/^- `([A-Z_]+)`/gm)].map(([, reason]) => reason);
  assert.ok(named.includes('REPEATED_FIELD'));
  assert.deepEqual(Object.keys(content?.['application/json']?.examples ?? {}).sort(), named.sort());
});
