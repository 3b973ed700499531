import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerAll } from '../../answers.js';
import { readRefusal, startBoth, withKey } from '../../facade.js';

const picture = Buffer.from([0xff, 0xd8, 0xff, 0x00, 0x0d, 0x0a, 0x2d, 0x2d]);
const dataUrl = `data:image/jpeg;base64,${picture.toString('base64')}`;

const raw = (type = 'image/jpeg') => ({ method: 'POST', headers: { ...withKey, 'content-type': type }, body: picture });
const json = (members: object, type = 'application/json') => ({
  method: 'POST',
  headers: { ...withKey, 'content-type': type },
  body: JSON.stringify(members),
});

test('a picture may be the whole body, or a data URL in JSON', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  const aligned = { company: 'acme', crop: true, cropAligned: true };
  const table: [path: string, request: RequestInit, rpc: string, fields: object][] = [
    ['/face_detect_single', raw(), 'DetectSingleFace', {}],
    ['/face_detect_single?company=acme&crop=aligned', raw('Image/PNG; x=y'), 'DetectSingleFace', aligned],
    ['/face_detect_multi?min_score=0.25&max_faces=7', raw(), 'DetectAllFaces', { minScore: 0.25, maxFaces: 7 }],
    ['/meter-number-ocr/file?expected_digits=5', raw(), 'ReadMeter', { expectedDigits: 5 }],
    ['/face_detect_single', json({ image: dataUrl, min_score: 0.5 }), 'DetectSingleFace', { minScore: 0.5 }],
    ['/face_detect_multi', json({ image: dataUrl }, 'application/json; charset=utf-8'), 'DetectAllFaces', {}],
  ];
  for (const [path, request, rpc, fields] of table) {
    const answer = await fetch(url + path, request);
    assert.equal(answer.status, 200, `${path} ${await answer.text()}`);
    const call = core.calls.at(-1);
    assert.equal(call?.rpc, rpc);
    const { image, ...others } = call.request;
    assert.deepEqual(image, picture);
    assert.deepEqual(Object.fromEntries(Object.entries(others).filter(([, value]) => Boolean(value))), fields);
  }
});

test('its options are checked as those of a form are', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  const table: [path: string, request: RequestInit, status: number, reason: string, field?: string][] = [
    ['/face_detect_multi?minscore=0.9', raw(), 400, 'UNKNOWN_FIELD', 'minscore'],
    ['/face_detect_multi?file=x', raw(), 400, 'UNKNOWN_FIELD', 'file'],
    ['/face_detect_multi?min_score=0.9&min_score=0.9', raw(), 400, 'REPEATED_FIELD', 'min_score'],
    ['/face_detect_multi?min_score=x', raw(), 400, 'INVALID_SCORE', 'min_score'],
    ['/face_detect_multi?min_score=0.9', json({ image: dataUrl }), 400, 'INVALID_FIELD', 'min_score'],
    ['/face_detect_multi', json({}), 400, 'MISSING_FIELD', 'image'],
    ['/face_detect_multi', json({ image: dataUrl }, 'text/json'), 415, 'UNSUPPORTED_CONTENT_TYPE', 'content-type'],
    ['/v1/companies/acme/detection-score', { ...raw(), method: 'PUT' }, 400, 'MALFORMED_JSON'],
  ];
  for (const [path, request, status, reason, field] of table) {
    const refusal = await readRefusal(await fetch(url + path, request));
    assert.deepEqual([refusal.status, refusal.reason, refusal.details['field']], [status, reason, field], path);
  }
  assert.deepEqual(core.calls, []);
});
