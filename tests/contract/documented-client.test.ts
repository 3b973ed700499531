import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { createLifetime } from '../helpers/lifetime.js';
import { createForm } from '../helpers/net/form.js';
import { readSample } from '../helpers/pictures/samples.js';
import { get, post } from '../helpers/service/rest-requests.js';
import { startService, type TestService } from '../helpers/service/service.js';

// A client that knows only the documented part of the REST contract: addresses, field names, types.

const lifetime = createLifetime();

interface BoundingBox {
  xmax: number;
  xmin: number;
  ymax: number;
  ymin: number;
}

interface DetectedFace {
  bbox: BoundingBox;
  detection_score: string;
  face: string;
}

describe('a client written from the documentation', () => {
  let service: TestService;
  let portrait: Buffer;

  before(async () => {
    service = await startService(lifetime);
    await service.createCompany('acme', 'correct horse');
    portrait = await readSample('astronaut.jpg');
  });

  const ask = (path: string, fields = {}, picture = portrait) =>
    post<Record<string, unknown>>(service, path, createForm(picture, fields));
  const configScore = (query: string) => get(service, `/face_config_score?${query}`);

  async function checkFace(face: DetectedFace) {
    const { bbox, detection_score: score } = face;
    for (const side of Object.values(bbox)) assert.equal(typeof side, 'number');
    assert.ok(bbox.xmin < bbox.xmax && bbox.ymin < bbox.ymax);
    assert.equal(typeof score, 'string');
    assert.match(score, /^(0(\.\d+)?|1)$/);
    const crop = await sharp(Buffer.from(face.face, 'base64')).metadata();
    assert.equal(crop.format, 'jpeg');
    assert.ok(Math.abs((crop.width ?? 0) - (bbox.xmax - bbox.xmin)) <= 2);
    assert.ok(Math.abs((crop.height ?? 0) - (bbox.ymax - bbox.ymin)) <= 2);
  }

  it('finds one face', async () => {
    const { status, body } = await ask('/face_detect_single');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ['bbox', 'detection_score', 'face', 'message', 'process_time']);
    assert.equal(body['message'], 'success');
    assert.equal(typeof body['process_time'], 'number');
    await checkFace(body as unknown as DetectedFace);
  });

  it('finds all faces', async () => {
    const { status, body } = await ask('/face_detect_multi', { company: 'acme' });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ['message', 'process_time', 'result']);
    const result = body['result'] as DetectedFace[];
    assert.ok(result.length >= 1);
    for (const face of result) {
      assert.deepEqual(Object.keys(face).sort(), ['bbox', 'detection_score', 'face']);
      await checkFace(face);
    }
  });

  it('gets an empty result where there is no face', async () => {
    const grey = await sharp({ create: { width: 320, height: 240, channels: 3, background: '#808080' } })
      .jpeg()
      .toBuffer();
    const { status, body } = await ask('/face_detect_multi', {}, grey);
    assert.equal(status, 200);
    assert.deepEqual(body['result'], []);
  });

  it('sets and shows the score of a company', async () => {
    const login = 'company=acme&password=correct%20horse';
    const documented = { company: 'acme', detection_score: 0.92, message: 'success' };
    for (const detection of ['detection=0.92', 'detection', 'detection=']) {
      const { status, body } = await configScore(`${detection}&${login}`);
      assert.deepEqual([status, body], [200, documented]);
    }
  });

  it('reads a meter from a file', async () => {
    const { status, body } = await ask('/meter-number-ocr/file', {}, await readSample('meter.jpg'));
    assert.equal(status, 200);
    checkReading(body);
  });

  it('reads a meter from a data URL', async () => {
    const picture = await readSample('meter.jpg');
    const json = JSON.stringify({ image: `data:image/jpeg;base64,${picture.toString('base64')}` });
    const { status, body } = await post<Record<string, unknown>>(service, '/meter-number-ocr/base64', json);
    assert.equal(status, 200);
    checkReading(body);
  });

  function checkReading(body: Record<string, unknown>) {
    const members = 'bbox confidence digits message meter_number process_time status unit value warnings';
    assert.deepEqual(Object.keys(body).sort(), members.split(' '));
    assert.equal(body['message'], 'success');
    assert.match(body['meter_number'] as string, /^\d+$/);
    assert.equal((body['value'] as string).replace('.', ''), body['meter_number']);
    assert.equal(body['unit'], 'm3');
    assert.match(body['status'] as string, /^(ok|check)$/);
    assert.ok((body['confidence'] as number) >= 0 && (body['confidence'] as number) <= 1);
    assert.ok(Array.isArray(body['warnings']));
    const digits = body['digits'] as { digit: string; confidence: number; bbox: BoundingBox }[];
    assert.equal(digits.map(({ digit }) => digit).join(''), body['meter_number']);
  }
});
