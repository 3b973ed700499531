import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import {
  type DetectAllFacesResponse,
  FaceDetectionServiceClient,
  ThresholdSource,
} from '../../generated/imageanalysis/v1/face_detection.js';
import { createLifetime } from '../helpers/lifetime.js';
import { createForm } from '../helpers/net/form.js';
import { metadataWithKey, unaryCall } from '../helpers/net/grpc.js';
import { readSample } from '../helpers/pictures/samples.js';
import { post, send } from '../helpers/service/rest-requests.js';
import { startService, type TestService } from '../helpers/service/service.js';

// A company's score is the threshold of its detections.

const lifetime = createLifetime();
const password = 'correct horse';

interface Body {
  readonly reason?: string;
  readonly result?: readonly { readonly detection_score: string }[];
  readonly threshold?: { readonly value: number; readonly source: string };
}

describe('two companies with scores of their own, on the same picture', () => {
  let service: TestService;
  let client: FaceDetectionServiceClient;
  let portrait: Buffer;
  /** Of the one face of the portrait. */
  let score: number;

  before(async () => {
    service = await startService(lifetime);
    client = new FaceDetectionServiceClient(service.grpc, credentials.createInsecure());
    lifetime.after(() => client.close());
    portrait = await readSample('astronaut.jpg');
    for (const name of ['strict', 'lenient', 'new']) await service.createCompany(name, password);
    score = Number((await detect({})).body.result?.[0]?.detection_score);
    assert.ok(score > 0.5 && score < 0.999_999);
    await setScore('strict', Math.min(1, score + 0.000_01).toFixed(6));
    await setScore('lenient', '0.1');
  });

  const ask = (path: string, fields: Record<string, string>) => post<Body>(service, path, createForm(portrait, fields));
  const detect = (fields: Record<string, string>) =>
    ask('/face_detect_multi', { details: 'true', crop: 'false', ...fields });

  async function setScore(company: string, score: string) {
    const members = JSON.stringify({ detection_score: score });
    const headers = { 'x-company-password': password };
    const { status, body } = await send(service, 'PUT', `/v1/companies/${company}/detection-score`, members, headers);
    assert.equal(status, 200, JSON.stringify(body));
  }

  it('get different faces', async () => {
    const strict = await detect({ company: 'strict' });
    const lenient = await detect({ company: 'lenient' });
    assert.deepEqual(strict.body.result, []);
    assert.equal(strict.body.threshold?.source, 'company');
    assert.ok((strict.body.threshold?.value ?? 0) > score);
    assert.ok((lenient.body.result?.length ?? 0) >= 1);
    assert.deepEqual(lenient.body.threshold, { value: 0.1, source: 'company' });
  });

  it('get NO_FACE and a face where one face is asked for', async () => {
    const strict = await ask('/face_detect_single', { company: 'strict' });
    assert.deepEqual([strict.status, strict.body.reason], [422, 'NO_FACE']);
    assert.equal((await ask('/face_detect_single', { company: 'lenient' })).status, 200);
  });

  it('are told where the threshold came from', async () => {
    const sourceOf = async (fields: Record<string, string>) => (await detect(fields)).body.threshold?.source;
    assert.equal(await sourceOf({}), 'default');
    assert.equal(await sourceOf({ company: 'new' }), 'default');
    assert.equal(await sourceOf({ company: 'lenient' }), 'company');
    assert.equal(await sourceOf({ company: 'strict', min_score: '0.2' }), 'request');
    assert.equal((await detect({ company: 'strict', min_score: '0.2' })).body.result?.length, 1);
  });

  it('get the same over gRPC', async () => {
    const call = (company: string, minScore?: number) =>
      unaryCall<DetectAllFacesResponse>((done) =>
        client.detectAllFaces(
          { image: portrait, company, minScore, landmarks: false, details: true, crop: false },
          metadataWithKey(service.apiKey),
          done,
        ),
      );
    const strict = await call('strict');
    assert.equal(strict.faces.length, 0);
    assert.equal(strict.details?.threshold?.source, ThresholdSource.COMPANY);
    assert.ok((await call('lenient')).faces.length >= 1);
    assert.equal((await call('strict', 0.2)).details?.threshold?.source, ThresholdSource.REQUEST);
  });

  it('find a face exactly at the threshold', async () => {
    const { body } = await detect({ min_score: '0.1' });
    const shown = body.result?.[0]?.detection_score ?? '';
    assert.equal(Number(shown), score);
    await setScore('strict', shown);
    assert.equal((await detect({ company: 'strict' })).body.result?.length, 1);
    await setScore('strict', (score + 0.000_001).toFixed(6));
    assert.deepEqual((await detect({ company: 'strict' })).body.result, []);
  });
});
