/* global Blob, File */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { client } from './client/client.gen.js';
import * as api from './client/index.js';

// Calls every operation by the client that was generated out of the service's own document.

const {
  IMAGE_ANALYSIS_REST: baseUrl = '',
  IMAGE_ANALYSIS_APIKEY: auth = '',
  IMAGE_ANALYSIS_COMPANY: company = '',
  IMAGE_ANALYSIS_PASSWORD: password = '',
  IMAGE_ANALYSIS_SAMPLES: samples = '',
} = process.env;
client.setConfig({ baseUrl, auth, throwOnError: true });

const bytesOf = (/** @type {string} */ name) => readFile(`${samples}/${name}`);
const fileOf = async (/** @type {string} */ name) => new File([new Uint8Array(await bytesOf(name))], name);
const urlOf = async (/** @type {string} */ name) =>
  `data:image/jpeg;base64,${(await bytesOf(name)).toString('base64')}`;
const linesOf = (/** @type {unknown} */ text) =>
  String(text)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .sort((a, b) => a.index - b.index);

const face = await urlOf('astronaut.jpg');
const meter = await fileOf('meter.jpg');

const single = await api.detectSingleFace({ body: { image: face, landmarks: true } });
assert.ok(Number(single.data?.detection_score) > 0.9 && single.data?.landmarks?.nose_tip);
const none = await api.detectSingleFace({ body: { image: await urlOf('meter.jpg') }, throwOnError: false });
assert.equal(none.error?.reason, 'NO_FACE');
const all = await api.detectAllFaces({ body: { image: face, crop: false, company } });
assert.equal(all.data?.result.length, 1);
const hidden = await api.redactFaces({ body: { image: face, style: 'box' } });
assert.equal(hidden.response?.headers.get('x-face-count'), '1');
assert.ok(hidden.data instanceof Blob && hidden.data.type === 'image/jpeg');
const pictures = await api.streamDetectFaces({
  parseAs: 'text',
  body: { crop: false, file: [await fileOf('astronaut.jpg'), new File(['no picture'], 'b.jpg')] },
});
assert.deepEqual(
  linesOf(pictures.data).map(({ result, reason }) => result?.length ?? reason),
  [1, 'UNSUPPORTED_IMAGE_TYPE'],
);

const reading = await api.readMeter({ body: { file: meter, expected_digits: 8, details: true } });
assert.deepEqual([reading.data?.value, reading.data?.model?.name], ['00473.286', 'meter-read']);
const same = await api.meterNumberOcrBase64({ body: { image: await urlOf('meter.jpg') } });
assert.equal(same.data?.value, '00473.286');
const photos = await api.streamReadMeters({ parseAs: 'text', body: { file: [meter, meter] } });
assert.deepEqual(
  linesOf(photos.data).map(({ value }) => value),
  ['00473.286', '00473.286'],
);
const fused = await api.fuseMeterReadings({ body: { file: [meter, meter] } });
assert.deepEqual([fused.data?.value, fused.data?.photos.length], ['00473.286', 2]);

const headers = { 'x-company-password': password };
await api.setDetectionScore({ path: { company }, headers, body: { detection_score: 0.85 } });
const score = await api.getDetectionScore({ path: { company }, headers });
assert.equal(score.data?.detection_score, 0.85);
const inUrl = await api.faceConfigScore({ query: { detection: '', company, password } });
assert.equal(inUrl.data?.detection_score, 0.85);
const version = await api.getVersion();
assert.ok(version.data?.models.some(({ name }) => name === 'face-detector'));
const health = await Promise.all([api.livez(), api.readyz()]);
assert.deepEqual(
  health.map(({ data }) => data?.message),
  ['success', 'success'],
);
process.stdout.write('The generated client called every operation.\n');
