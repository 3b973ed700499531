import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRpcs } from '../../../rest-facade/protos/rpcs.js';
import { bindRequest, type ParsedBody, type RequestParts } from '../../../rest-facade/request/bind-request.js';
import { chooseRoute } from '../../../rest-facade/request/choose-route.js';
import { createRoutes } from '../../../rest-facade/request/create-routes.js';
import { parseQuery } from '../../../rest-facade/request/parse-target.js';
import type { Route } from '../../../rest-facade/request/route.js';
import { assertReason, reasonOf } from '../refusals.js';

const routes = createRoutes(loadRpcs());
const none: ParsedBody = {};
const image = Buffer.from('image');

/** The routes of a verb and path, as Express would find them. */
function find(verb: string, path: string) {
  const matches = routes.flatMap((route) => {
    const pattern = route.template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    const match = new RegExp(`^${pattern}$`).exec(path);
    return match && route.verb === verb ? [{ route, params: { ...match.groups } }] : [];
  });
  const candidates = matches.map(({ route }) => route) as [Route, ...Route[]];
  return { candidates, params: matches[0]?.params ?? {} };
}

/** Finds, chooses and binds like the facade: the RPC and its message. */
function transcode(verb: string, target: string, body = none, headers: RequestParts['headers'] = {}): [string, object] {
  const { candidates, params } = find(verb, target.split('?', 1)[0] ?? '');
  const query = parseQuery(target);
  const route = chooseRoute(candidates, query);
  const parts = { params, query, headers, body };
  return [route.rpc.method.name, bindRequest(route, parts)];
}

/** @param text as in a query string */
const form = (text = ''): ParsedBody => ({
  picture: image,
  fields: Array.from(new URLSearchParams(text), ([name, value]) => ({ name, value })),
});
const json = (members: Record<string, unknown>): ParsedBody => ({ members });
const single = '/face_detect_single';
const multi = '/face_detect_multi';
const byFile = '/meter-number-ocr/file';
const byText = '/meter-number-ocr/base64';
const score = '/v1/companies/acme/detection-score';

test('requests and their messages', () => {
  const known = { expected_digits: 8, previous_reading: '00120.50', alternatives: true };
  const reading = { ...known, max_increase: null, other: [1] };
  const table: [Parameters<typeof transcode>, string, object][] = [
    [['POST', single, form()], 'DetectSingleFace', { image }],
    [
      ['POST', single, form('crop=aligned&margin=0.25')],
      'DetectSingleFace',
      { image, crop: true, crop_aligned: true, margin: 0.25 },
    ],
    [
      ['POST', single, form('crop=Aligned&crop_aligned=1')],
      'DetectSingleFace',
      { image, crop: true, crop_aligned: true },
    ],
    [
      ['POST', multi, form('attributes=true&min_quality=0.5')],
      'DetectAllFaces',
      { image, attributes: true, min_quality: 0.5 },
    ],
    [['POST', single, form('company=&x=1&x=2')], 'DetectSingleFace', { image }],
    [['POST', multi, form('min_score=&max_faces=&crop=')], 'DetectAllFaces', { image }],
    [
      ['POST', `${multi}?max_faces=9`, form('max_faces=3&min_score=0.5')],
      'DetectAllFaces',
      { image, max_faces: 3, min_score: 0.5 },
    ],
    [['POST', byText, { picture: image, members: {} }], 'ReadMeter', { image }],
    [['POST', byText, { picture: image, members: reading }], 'ReadMeter', { image, ...known }],
    [
      ['POST', byFile, form('expected_decimals=3&previous_reading=00120.50&max_increase=7&serial_number=True')],
      'ReadMeter',
      { image, expected_decimals: 3, previous_reading: '00120.50', max_increase: '7', serial_number: true },
    ],
    [['GET', '/face_config_score?detection'], 'GetDetectionScore', {}],
    [
      ['GET', '/face_config_score?detection=0.1&company=a&detection_score=0.10'],
      'SetDetectionScore',
      { company: 'a', detection_score: 0.1 },
    ],
    [['GET', score], 'GetDetectionScore', { company: 'acme' }],
    [
      ['GET', `${score}?company=acme`, none, { 'x-company-password': ['é'] }],
      'GetDetectionScore',
      // Latin-1 that is not UTF-8 stays what it is.
      { company: 'acme', password: 'é' },
    ],
    [
      ['PUT', score, json({ company: 'acme', detection_score: 0.5, password: null }), { 'x-company-password': ['p'] }],
      'SetDetectionScore',
      { company: 'acme', detection_score: 0.5, password: 'p' },
    ],
    // As in a query string, nothing of it is left out.
    [
      ['GET', score, none, { 'x-company-password': ['\xef\xbb\xbfp'] }],
      'GetDetectionScore',
      { company: 'acme', password: '\ufeffp' },
    ],
    // An empty value is the same as an absent one, also of a field that is filled otherwise.
    [['GET', `${score}?company=`], 'GetDetectionScore', { company: 'acme' }],
    [
      ['GET', '/face_config_score?detection=0.61&company=a&detection_score='],
      'SetDetectionScore',
      { company: 'a', detection_score: 0.61 },
    ],
    // Whoever sends a password elsewhere than in the header is told that it is missing there.
    [['PUT', score, json({ password: 'p' })], 'SetDetectionScore', { company: 'acme' }],
    [['PUT', score, json({})], 'SetDetectionScore', { company: 'acme' }],
    [['PUT', score, json({ detection_score: null })], 'SetDetectionScore', { company: 'acme' }],
    [
      ['PUT', score, json({ detection_score: '0.25' })],
      'SetDetectionScore',
      { company: 'acme', detection_score: 0.25 },
    ],
    [
      ['PUT', score, json({ detection_score: 1, constructor: 2 })],
      'SetDetectionScore',
      { company: 'acme', detection_score: 1 },
    ],
  ];
  for (const [request, rpc, message] of table)
    assert.deepEqual(transcode(...request), [rpc, message], JSON.stringify(request));
});

test('requests that are refused', () => {
  const table: [Parameters<typeof transcode>, string][] = [
    [['GET', '/face_config_score'], 'MISSING_FIELD'],
    [['GET', '/face_config_score?company=a&password=b'], 'MISSING_FIELD'],
    [['GET', '/face_config_score?detection&detection'], 'REPEATED_FIELD'],
    [['GET', '/face_config_score?detection=0.1&detection=0.1'], 'REPEATED_FIELD'],
    [['GET', '/face_config_score?detection&company=a&company=a'], 'REPEATED_FIELD'],
    [['GET', '/face_config_score?detection&password=a&password=b'], 'REPEATED_FIELD'],
    [['GET', '/face_config_score?detection=high'], 'INVALID_SCORE'],
    [['GET', '/face_config_score?detection=%'], 'INVALID_FIELD'],
    [['GET', score, none, { 'x-company-password': ['a', 'b'] }], 'REPEATED_FIELD'],
    [['PUT', score, json({ detection_score: true })], 'INVALID_SCORE'],
    [['PUT', score, json({ detection_score: [0.5] })], 'INVALID_SCORE'],
    [['PUT', score, json({ detection_score: 0.1234567 })], 'INVALID_SCORE'],
    [['PUT', score, json({ detection_score: -0.5 })], 'INVALID_SCORE'],
    [['PUT', score, json({ detection_score: Infinity })], 'INVALID_SCORE'],
    [['PUT', score, json({ detection_score: 1e-7 })], 'INVALID_SCORE'],
    [
      // A JSON number would have lost zeros and digits already.
      ['POST', byText, { picture: image, members: { previous_reading: 120.5 } }],
      'INVALID_FIELD',
    ],
    [['POST', byFile, form('expected_digits=8.0')], 'INVALID_FIELD'],
    [['POST', multi, form('crop=no')], 'INVALID_FIELD'],
    [['POST', multi, form('crop=1&crop=1')], 'REPEATED_FIELD'],
    [['POST', multi, form('max_faces=-1')], 'INVALID_FIELD'],
    [['POST', multi, form('min_score=1e-1')], 'INVALID_SCORE'],
  ];
  for (const [request, reason] of table) assertReason(() => transcode(...request), reason, JSON.stringify(request));
});

test('a second, different value for what the word of a boolean says', () => {
  const given = form('crop=aligned&crop_aligned=false');
  assert.throws(() => transcode('POST', single, given), {
    reason: 'INVALID_FIELD',
    message: 'crop_aligned is given twice with different values, want one',
  });
});

test('what the path, a header or a parameter fills has no other name', () => {
  const namesOf = (verb: string, path: string) => [...(find(verb, path).candidates[0].names ?? [])].sort();
  assert.deepEqual(namesOf('GET', score), []);
  assert.deepEqual(namesOf('PUT', score), ['detection_score']);
  assert.deepEqual(namesOf('GET', '/face_config_score'), ['company', 'detection', 'password']);
});

test('a refusal of what is no boolean names the word that one takes besides', () => {
  for (const [name, wish] of [
    ['crop', 'true, false or aligned'],
    ['crop_aligned', 'true or false'],
  ] as const)
    assert.throws(() => transcode('POST', multi, form(`${name}=align`)), {
      message: `${name} is "align", want ${wish}`,
    });
});

test('random query strings are bound or refused, never anything else', () => {
  // A fixed seed: a failure can be repeated.
  let state = 20_240_229;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const names = ['detection', 'company', 'password', 'detection_score'];
  const rest = '= = = & & & 0.5 1 % %41 %00 %ff %C3%A9 + . - e __proto__ constructor ? # ; é \u0000 [] true';
  const pieces = [...names, ...rest.split(' ')];
  const known = ['MISSING_FIELD', 'REPEATED_FIELD', 'INVALID_FIELD', 'INVALID_SCORE'];
  const seen = new Map<string, number>();
  for (let round = 0; round < 20_000; round += 1) {
    const length = random(14);
    let query = Array.from({ length }, () => pieces[random(pieces.length)]).join('');
    if (random(2) === 0) query = `detection=0.${random(9_999_999)}&company=a&${query}`;
    const reason = reasonOf(() => {
      const [rpc, message] = transcode('GET', `/face_config_score?${query}`);
      const { detection_score: value, ...rest } = message as Record<string, unknown>;
      assert.ok(Object.keys(rest).every((name) => name === 'company' || name === 'password'));
      if (rpc === 'GetDetectionScore') assert.equal(value, undefined, query);
      else assert.ok(typeof value === 'number' && value >= 0 && Number.isFinite(value), query);
    });
    assert.ok(reason === undefined || known.includes(reason), `${query}: ${reason}`);
    seen.set(reason ?? 'bound', (seen.get(reason ?? 'bound') ?? 0) + 1);
  }
  // Every outcome was met, so the test looked at all of them.
  assert.deepEqual([...seen.keys()].sort(), ['bound', ...known].sort());
});
