import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createLifetime } from '../helpers/lifetime.js';
import { createForm } from '../helpers/net/form.js';
import { readSample } from '../helpers/pictures/samples.js';
import { post, send } from '../helpers/service/rest-requests.js';
import { startService, type TestService } from '../helpers/service/service.js';

// A company's score is the threshold of its detections.

const lifetime = createLifetime();
const password = 'correct horse';

interface Body {
  readonly result?: readonly { readonly detection_score: string }[];
  readonly threshold?: { readonly value: number; readonly source: string };
}

describe('two companies with scores of their own, on the same picture', () => {
  let service: TestService;
  let portrait: Buffer;
  /** Of the one face of the portrait. */
  let score: number;

  before(async () => {
    service = await startService(lifetime);
    portrait = await readSample('astronaut.jpg');
    for (const name of ['strict', 'lenient']) await service.createCompany(name, password);
    score = Number((await detect({})).body.result?.[0]?.detection_score);
    assert.ok(score > 0.5 && score < 0.999_999);
    await setScore('strict', Math.min(1, score + 0.000_01).toFixed(6));
    await setScore('lenient', '0.1');
  });

  const detect = (fields: Record<string, string>) =>
    post<Body>(service, '/face_detect_multi', createForm(portrait, { details: 'true', crop: 'false', ...fields }));

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
    const wished = await detect({ company: 'strict', min_score: '0.2' });
    assert.deepEqual([wished.body.result?.length, wished.body.threshold], [1, { value: 0.2, source: 'request' }]);
  });
});
