import assert from 'node:assert/strict';
import { test } from 'node:test';

test('an empty variable leaves the telemetry of onnxruntime off', async () => {
  process.env['ORT_DISABLE_TELEMETRY'] = '';
  await import('../../../../core-server/inference/models/no-telemetry.js');
  assert.equal(process.env['ORT_DISABLE_TELEMETRY'], '1');
});
