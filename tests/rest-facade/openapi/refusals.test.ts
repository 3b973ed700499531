import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adminApi } from '../../../rest-facade/apis.js';
import { readReasons, reasonsOf } from '../../../rest-facade/openapi/refusals.js';
import { loadRpcs } from '../../../rest-facade/protos/rpcs.js';
import { createRoutes } from '../../../rest-facade/request/create-routes.js';

test('what is given twice is refused in a query, but in JSON the last one counts', () => {
  const reasons = readReasons().filter(({ name }) => name === 'REPEATED_FIELD');
  const refusing = createRoutes(loadRpcs(adminApi.protoFiles)).filter((route) => reasonsOf(route, reasons).length > 0);
  assert.deepEqual(
    refusing.map(({ verb, template }) => `${verb} ${template}`),
    ['GET /v1/admin/api-keys', 'GET /v1/admin/companies'],
  );
});
