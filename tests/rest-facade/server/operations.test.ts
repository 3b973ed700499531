import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createForm } from '../../helpers/net/form.js';
import { answerAll } from '../answers.js';
import { detectFace, type ErrorBody, startBoth, withKey } from '../facade.js';

const picture = Buffer.from([0xff, 0xd8, 0xff, 0x00, 0x0d, 0x0a, 0x2d, 0x2d]);

test('POST /face_detect_single sends the file and answers as documented', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  const answer = await detectFace(url, picture, { company: 'acme' });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  const text = await answer.text();
  // 210 is shown as 210.0: boxes are floats.
  assert.match(text, /"bbox":\{"xmax":210\.0,"xmin":98\.1,"ymax":260\.25,"ymin":120\.7\}/);
  const { process_time: seconds, ...rest } = JSON.parse(text) as Record<string, unknown>;
  assert.deepEqual(rest, {
    message: 'success',
    bbox: { xmax: 210, xmin: 98.1, ymax: 260.25, ymin: 120.7 },
    detection_score: '0.9731',
    face: Buffer.from('crop').toString('base64'),
  });
  assert.ok(typeof seconds === 'number' && seconds > 0 && seconds < 5, String(seconds));

  assert.equal(core.calls.length, 1);
  const [call] = core.calls;
  assert.equal(call?.rpc, 'DetectSingleFace');
  assert.deepEqual(call?.request['image'], picture);
  assert.equal(call?.request['company'], 'acme');
  // Absent is absent: the core knows the defaults.
  assert.equal(call?.request['minScore'], undefined);
  assert.equal(call?.request['crop'], undefined);
  assert.deepEqual(call?.metadata.get('apikey'), ['key-of-the-tests']);
  assert.deepEqual(call?.metadata.get('x-forwarded-for'), ['127.0.0.1']);
});

test('POST /face_detect_multi sends every documented field and answers as documented', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  const answer = await fetch(`${url}/face_detect_multi`, {
    method: 'POST',
    headers: withKey,
    body: createForm(picture, { min_score: '0.25', max_faces: '7', landmarks: 'true', crop: 'False', details: '1' }),
  });
  assert.equal(answer.status, 200);
  const body = (await answer.json()) as { result: Record<string, unknown>[] };
  assert.deepEqual(Object.keys(body).sort(), ['message', 'process_time', 'result']);
  assert.deepEqual(
    body.result.map(({ detection_score: score, face }) => [score, face]),
    [
      ['0.9731', Buffer.from('crop').toString('base64')],
      ['1.0000', Buffer.from('crop2').toString('base64')],
    ],
  );
  const { minScore, maxFaces, landmarks, crop, details } = core.calls[0]?.request ?? {};
  assert.deepEqual([minScore, maxFaces, landmarks, crop, details], [0.25, 7, true, false, true]);
});

test('a field of the body in the query string is refused before the body is read', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  const ask = async (method: string, path: string, body: FormData | string) => {
    const type = path.startsWith('/face') ? 'multipart/form-data' : 'text/plain';
    const answer = await fetch(`${url}${path}`, { method, headers: { ...withKey, 'content-type': type }, body });
    return (await answer.json()) as ErrorBody;
  };
  const table: [string, string, string, string][] = [
    ['POST', '/face_detect_single?company=acme', 'company', 'a field of the form'],
    ['POST', '/face_detect_multi?min_score=0.9', 'min_score', 'a field of the form'],
    ['POST', '/face_detect_multi?file=https://example.com/a.jpg', 'file', 'a field of the form'],
    ['POST', '/meter-number-ocr/base64?max_increase=2', 'max_increase', 'a member of the body'],
    ['POST', '/meter-number-ocr/base64?image=x', 'image', 'a member of the body'],
    ['PUT', `/v1/companies/a/detection-score?detection_score=1`, 'detection_score', 'a member of the body'],
  ];
  for (const [method, path, field, place] of table) {
    // Nothing of the body is looked at.
    const { reason, message, details } = await ask(method, path, 'no body of any kind');
    assert.deepEqual(
      [reason, message, details],
      ['INVALID_FIELD', `${field} is in the query string, want it as ${place}`, { field }],
    );
  }
  assert.deepEqual(core.calls, []);
});

test('a body of another content type, or of none, is told what is wanted, whatever is in the query string', async (t) => {
  const { url } = await startBoth(t, answerAll);
  for (const [path, wish] of [
    ['/face_detect_single', 'multipart/form-data or image/* or application/json'],
    ['/meter-number-ocr/file?expected_digits=6', 'multipart/form-data or image/*'],
    ['/v1/meters/fuse?nonsense', 'multipart/form-data'],
  ] as const) {
    for (const [type, is] of [
      ['application/octet-stream', 'is "application/octet-stream"'],
      ['', 'is missing'],
    ] as const) {
      const headers = { ...withKey, 'content-type': type };
      const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: picture });
      const { reason, message } = (await answer.json()) as ErrorBody;
      assert.deepEqual([reason, message], ['UNSUPPORTED_CONTENT_TYPE', `content-type ${is}, want ${wish}`]);
    }
  }
});

test('GET /face_config_score is two RPCs, told apart by the value of detection', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  const ask = async (query: string) => {
    const answer = await fetch(`${url}/face_config_score?${query}`, { headers: withKey });
    assert.equal(answer.status, 200, query);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const call = core.calls.at(-1);
    return [call?.rpc, call?.request, await answer.text()] as const;
  };
  const account = { company: 'acme', password: 'p&ss wörd' };
  const login = 'company=acme&password=p%26ss+w%C3%B6rd';
  const shown = '{"message":"success","company":"acme","detection_score":0.8}';
  for (const bare of [`detection&${login}`, `${login}&detection`, `detection=&${login}`])
    assert.deepEqual(await ask(bare), ['GetDetectionScore', account, shown], bare);
  // A score of 1 is a float still.
  assert.deepEqual(await ask(`detection=0.85&${login}`), [
    'SetDetectionScore',
    { ...account, detectionScore: 0.85 },
    '{"message":"success","company":"acme","detection_score":1.0}',
  ]);
});

test('/v1/companies/{company}/detection-score takes the password from a header', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  const address = `${url}/v1/companies/a%2Fcm%20e/detection-score`;
  // Header bytes are UTF-8; fetch sends one byte a character.
  const password = Buffer.from('wörd').toString('latin1');
  const headers = { ...withKey, 'x-company-password': password };
  const shown = await fetch(address, { headers });
  assert.equal(shown.status, 200);
  assert.deepEqual(core.calls[0]?.request, { company: 'a/cm e', password: 'wörd' });

  const set = await fetch(address, { method: 'PUT', headers, body: JSON.stringify({ detection_score: 0.5 }) });
  assert.equal(set.status, 200);
  assert.equal(core.calls[1]?.rpc, 'SetDetectionScore');
  assert.deepEqual(core.calls[1]?.request, { company: 'a/cm e', password: 'wörd', detectionScore: 0.5 });
});

test('both meter operations reach one RPC and answer as documented', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  const byFile = await fetch(`${url}/meter-number-ocr/file`, {
    method: 'POST',
    headers: withKey,
    body: createForm(picture),
  });
  const image = `data:image/jpeg;base64,${picture.toString('base64')}`;
  for (const contentType of ['application/json', 'text/plain', undefined]) {
    const byText = await fetch(`${url}/meter-number-ocr/base64`, {
      method: 'POST',
      headers: contentType ? { ...withKey, 'content-type': contentType } : withKey,
      // A Blob without a type is sent without a content type.
      body: new Blob([JSON.stringify({ image })]),
    });
    assert.equal(byText.status, 200, contentType);
  }
  assert.deepEqual(
    core.calls.map(({ rpc, request }) => [rpc, request['image']]),
    Array(4).fill(['ReadMeter', picture]),
  );
  const { process_time: seconds, ...body } = (await byFile.json()) as Record<string, unknown>;
  assert.equal(typeof seconds, 'number');
  const bbox = { xmax: 210, xmin: 98.1, ymax: 260.25, ymin: 120.7 };
  assert.deepEqual(body, {
    message: 'success',
    meter_number: '00123456',
    value: '00123.456',
    unit: 'm3',
    confidence: 0.94,
    status: 'check',
    warnings: ['GLARE'],
    bbox,
    digits: [{ digit: '0', confidence: 1, bbox }],
  });
});
