import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { adminApi, publicApi } from '../../../rest-facade/apis.js';
import { loadRpcs } from '../../../rest-facade/protos/rpcs.js';
import { createRoutes } from '../../../rest-facade/request/create-routes.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

const protoDir = fileURLToPath(new URL('../../../../proto', import.meta.url));

test('every proto with a service belongs to an API', () => {
  const folder = 'imageanalysis/v1';
  const hasService = (file: string) => /^service /m.test(readFileSync(join(protoDir, file), 'utf8'));
  const files = readdirSync(join(protoDir, folder)).map((name) => `${folder}/${name}`);
  assert.deepEqual([...publicApi.protoFiles, ...adminApi.protoFiles].sort(), files.filter(hasService).sort());
});

/** Loads a service whose methods are given as text. */
async function load(t: TestContext, methods: string, messages = '') {
  const dir = await createTemporaryFolder(t);
  writeFileSync(
    join(dir, 'a.proto'),
    `syntax = "proto3"; package a;
    import "google/api/annotations.proto"; import "imageanalysis/v1/rest.proto";
    message Q { string name = 1; bytes image = 2; uint32 x = 3; }
    message Nested { Q q = 1; } message Tags { repeated string tags = 1; }
    message Files { repeated bytes files = 1; }
    message Ask { string id = 1; Q request = 2; } message Answer { string id = 1; R response = 2; }
    message Large { int64 n = 1; } message R { string text = 1; } ${messages}
    service S { ${methods} }`,
  );
  return loadRpcs(['a.proto'], [dir, protoDir]);
}

const method = (name: string, http: string, rest = '', request = 'Q') =>
  `rpc ${name}(${request}) returns (R) {
    option (google.api.http) = {${http}};
    ${rest && `option (imageanalysis.v1.rest) = {${rest}};`}
  }`;

test('mistakes in the options are errors at start that name the RPC', async (t) => {
  const multipart = 'multipart: {file_part: "f" file_field: "image"}';
  const table: [string, RegExp][] = [
    [method('M', 'get: "/a/{nam}"'), /^a\.S\.M: path "\/a\/\{nam\}": no field "nam"$/],
    [method('M', 'get: "/a/{image}"'), /field "image" cannot be filled by one text/],
    ...['a', '/a/{b=c/*}', '/a/*', '/a/**', '/a:cancel', '/{a}{b}', '/a//b', '/'].map((template): [string, RegExp] => [
      method('M', `get: "${template}"`),
      /^a\.S\.M: path ".*": want segments/,
    ]),
    [method('M', 'get: "/a" put: "/b"'), /must have one of get, put/],
    [method('M', 'body: "*"'), /must have one of get, put/],
    [method('M', 'delete: "/a" body: "*"'), /a delete has no body/],
    [method('M', 'get: "/a" body: "*"'), /a get has no body/],
    [method('M', 'get: "/a" response_body: "text"'), /has a response_body, which has no REST form/],
    [method('M', 'post: "/a" body: "name"'), /body is "name", known is "\*" only/],
    [method('M', 'get: "/a"', 'bindings: {path: "/b"}'), /names the path "\/b"/],
    [method('M', 'get: "/a"', 'refusals: "NO_FACES"'), /option rest: refusals is "NO_FACES", want one of .*NO_FACE/],
    [method('M', 'get: "/a"', `bindings: {path: "/a" ${multipart}}`), /needs body: "\*"/],
    [
      method('M', 'post: "/a" body: "*"', 'bindings: {path: "/a" data_url: {member: "m" field: "name"}}'),
      /field "name" must be of type bytes/,
    ],
    [method('M', 'post: "/a" body: "*"', 'bindings: {path: "/a" multipart: {file_part: "f"}}'), /no field ""/],
    [
      method('M', 'get: "/a"', 'bindings: {path: "/a" headers: {name: "X" field: "name"}}'),
      /header "X", want it in lower case/,
    ],
    [method('M', 'get: "/a"', '', 'Nested'), /field "q" is of type Q/],
    [method('M', 'get: "/a"', '', 'Large'), /field "n" is of type int64, which has no REST form/],
    [method('M', 'get: "/a"', '', 'Tags'), /field "tags" is repeated, which has a REST form in JSON only/],
    [
      method(
        'M',
        'post: "/a" body: "*"',
        'bindings: {path: "/a" multipart: {file_part: "f" file_field: "files"}}',
        'Files',
      ),
      /field "files" is repeated, want max_items in its rules/,
    ],
    [
      `rpc M(stream Ask) returns (stream Answer) { option (google.api.http) = {post: "/a" body: "*"}; }`,
      /a stream needs a multipart form/,
    ],
    [`rpc M(stream Q) returns (R) { option (google.api.http) = {get: "/a"}; }`, /a stream needs messages with an id/],
    [
      `rpc M(Q) returns (R) { option (imageanalysis.v1.rest) = {bindings: {path: "/a"}}; }`,
      /option rest names the path "\/a", google\.api\.http does not/,
    ],
    [method('M', 'get: "/a/{name}"') + method('N', 'get: "/a/{x}"'), /^a\.S\.N: GET \/a\/\{\} is taken by a\.S\.M$/],
  ];
  for (const [methods, message] of table) {
    const rpcs = await load(t, methods);
    assert.throws(() => createRoutes(rpcs), { message }, methods);
  }
});
