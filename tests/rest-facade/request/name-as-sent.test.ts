import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { loadRpcs } from '../../../rest-facade/protos/rpcs.js';
import { createRoutes } from '../../../rest-facade/request/create-routes.js';
import { nameAsSent } from '../../../rest-facade/request/name-as-sent.js';
import { Refusal } from '../../../runtime/errors/refusal.js';
import { detectFace, type ErrorBody, startBoth } from '../facade.js';
import { CoreRefusal } from '../fake-core.js';

// What the core says of a field of its message is said of the name that the caller used for it.

const routes = createRoutes(loadRpcs());

test('a field is called what the caller called it', () => {
  const table: [rpc: string, template: string, field: string, sent: string][] = [
    ['DetectSingleFace', '/face_detect_single', 'image', 'file'],
    ['DetectSingleFace', '/face_detect_single', 'min_score', 'min_score'],
    ['ReadMeter', '/meter-number-ocr/base64', 'image', 'image'],
    ['SetDetectionScore', '/face_config_score', 'detection_score', 'detection'],
    ['SetDetectionScore', '/face_config_score', 'password', 'password'],
    ['GetDetectionScore', '/v1/companies/{company}/detection-score', 'password', 'x-company-password'],
    ['SetDetectionScore', '/v1/companies/{company}/detection-score', 'detection_score', 'detection_score'],
  ];
  for (const [rpc, template, field, sent] of table) {
    const route = routes.find((each) => each.rpc.method.name === rpc && each.template === template);
    assert.ok(route);
    const refusal = (message: string, details: Record<string, string>) =>
      new Refusal(status.INVALID_ARGUMENT, 'INVALID_FIELD', message, { details, retryAfterSeconds: 3 });
    const odd = refusal(`${field} is odd, want ${field}`, { field, value: field });
    assert.deepEqual(nameAsSent(odd, route), refusal(`${sent} is odd, want ${field}`, { field: sent, value: field }));
    // A sentence that does not begin with the field.
    const none = refusal(`the ${field} has no bytes`, { field });
    assert.deepEqual(nameAsSent(none, route), refusal(`the ${field} has no bytes`, { field: sent }));
    const unnamed = refusal(`${field} is queued`, {});
    assert.equal(nameAsSent(unnamed, route), unnamed);
  }
});

test('it is in the answer', async (t) => {
  const { url } = await startBoth(t, () => {
    throw new CoreRefusal(status.INVALID_ARGUMENT, 'CORRUPT_IMAGE', 'image is cut off', { field: 'image' });
  });
  const { message, details } = (await (await detectFace(url)).json()) as ErrorBody;
  assert.deepEqual([message, details], ['file is cut off', { field: 'file' }]);
});
