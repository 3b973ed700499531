import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerAll } from '../../answers.js';
import { startBoth } from '../../facade.js';
import { exchange } from '../../raw-http.js';

// In a file without fetch, whose own timers must not meet the mocked ones.
const form = 'content-type: multipart/form-data; boundary=b\r\n';
const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
const key = 'apikey: k\r\n';
for (const [what, method, path, headers, start, http] of [
  ['a form', 'POST', '/face_detect_single', key + form, part, 400],
  ['JSON', 'POST', '/meter-number-ocr/base64', key, '{"image":"', 400],
  ['a body without a key', 'POST', '/face_detect_single', form, part, 401],
  ['a body that nothing takes', 'GET', '/livez', '', 'x', 200],
  ['a body beside OPTIONS', 'OPTIONS', '/face_detect_single', '', 'x', 204],
] as const)
  test(`${what} in chunks of a byte ends its connection`, { timeout: 20_000 }, async (t) => {
    const { port, facade } = await startBoth(t, answerAll, { REST_METRICS_PORT: '0' });
    // No time is up meanwhile, nor does the body end.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const { status, text } = await exchange(
      port,
      `${method} ${path} HTTP/1.1\r\nhost: x\r\n${headers}transfer-encoding: chunked\r\n\r\n` +
        chunk(start) +
        chunk('x').repeat(2_500),
    );
    assert.equal(status, http, text);
    if (http === 400) assert.match(text, /"reason":"INVALID_FIELD".*"field":"body"/);
    t.mock.timers.reset();
    const request = 'GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    const page = await exchange(facade.metricsPort ?? 0, request);
    assert.match(page.text, /^imageanalysis_rest_buffered_bytes 0$/m);
  });
