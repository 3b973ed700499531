import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adminApi } from '../../../rest-facade/apis.js';
import { refusalsOf } from '../../../rest-facade/openapi/refusals.js';
import { loadRpcs } from '../../../rest-facade/protos/rpcs.js';
import { createRoutes } from '../../../rest-facade/request/create-routes.js';
import { limits } from '../serve-app.js';

test('what is given twice is refused in a query, but in JSON the last one counts', () => {
  const routes = createRoutes(loadRpcs(adminApi.protoFiles));
  const refusing = routes.filter((route) => refusalsOf([route], limits).has('REPEATED_FIELD'));
  assert.deepEqual(
    refusing.map(({ verb, template }) => `${verb} ${template}`),
    ['GET /v1/admin/api-keys', 'GET /v1/admin/companies'],
  );
});
