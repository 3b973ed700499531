import assert from 'node:assert/strict';
import { test } from 'node:test';
import protobuf from 'protobufjs';
import { loadRpcs, readProtos } from '../../../rest-facade/protos/rpcs.js';
import { createResponder } from '../../../rest-facade/response/create-renderer.js';

/** The text of the response with a message. */
const renderer = (type: protobuf.Type, isTimed: boolean) => {
  const respond = createResponder(type, isTimed);
  return (answer: object, elapsedMs: number) => respond(answer, elapsedMs).body as string;
};

/** Compiles a message of a proto of its own. */
const compile = (messages: string) => {
  const root = readProtos(['google/protobuf/timestamp.proto']);
  protobuf.parse(`syntax = "proto3"; ${messages}`, root, { keepCase: true });
  root.resolveAll();
  return renderer(root.lookupType('M'), true);
};
const head = '{"message":"success","process_time":0.012346';

test('any message is shown by its fields', () => {
  const shared = Buffer.from('xxpicturexx').subarray(2, 9);
  const table: [type: string, value: unknown, text: string][] = [
    ['double', 1, '1.0'],
    ['double', -0, '0.0'],
    ['double', -3, '-3.0'],
    ['double', 0.1, '0.1'],
    ['double', 1e21, '1e+21'],
    ['double', 1e-7, '1e-7'],
    ['double', NaN, 'null'],
    ['uint32', 1, '1'],
    ['string', 'a"\n\u2028', '"a\\"\\n\u2028"'],
    ['string', '', '""'],
    ['bool', false, 'false'],
    ['bytes', shared, `"${Buffer.from('picture').toString('base64')}"`],
    ['bytes', new Uint8Array(), '""'],
    ['repeated uint32', [], '[]'],
    ['repeated double', [1, 0.5], '[1.0,0.5]'],
    ['N', {}, '{}'],
    ['N', { a: 'b', c: null }, '{"a":"b"}'],
    ['repeated N', [{ a: 'b', c: { a: 'd' } }, {}], '[{"a":"b","c":{"a":"d"}},{}]'],
    ['google.protobuf.Timestamp', { seconds: 1, nanos: 500_000_000 }, '"1970-01-01T00:00:01.500Z"'],
    ['E', 'E_SOME_THING', '"SOME_THING"'],
    // Newer than this facade.
    ['E', 9, '"9"'],
  ];
  for (const [type, value, text] of table) {
    const render = compile(
      `message M { ${type} x = 1; } message N { string a = 1; O c = 2; } message O { string a = 1; }
      enum E { E_UNKNOWN = 0; E_SOME_THING = 1; }`,
    );
    const shown = render({ x: value }, 12.3456);
    assert.equal(shown, `${head},"x":${text}}`);
    assert.doesNotThrow(() => JSON.parse(shown) as unknown);
    assert.equal(render({}, 12.3456), `${head}}`);
  }
});

test('what has no form in JSON is an error at the start', () => {
  for (const [body, message] of [
    ['float x = 1;', /^M\.x is of type float, which has no REST form yet$/],
    ['map<string, string> x = 1;', /^M\.x is of type string, which has no REST form yet$/],
    ['string x = 1 [(rest_field).inline = true];', /^M\.x: inline, want it to be one message$/],
  ] as const)
    assert.throws(() => compile(`message M { ${body} }`), { message });
});

test('a score is a string of 4 decimals, of up to 6 where they say more', () => {
  const table: [number, string][] = [
    [0.9731, '0.9731'],
    [1, '1.0000'],
    [0, '0.0000'],
    [0.5, '0.5000'],
    [0.97314, '0.97314'],
    [0.973146, '0.973146'],
    [0.9731462, '0.973146'],
    [0.99999996, '1.0000'],
    [0.000001, '0.000001'],
  ];
  const render = compile('message M { double x = 1 [(rest_field) = {min_decimals: 4, max_decimals: 6}]; }');
  for (const [score, text] of table) assert.equal(render({ x: score }, 12.3456), `${head},"x":"${text}"}`);
});

const box = { xmin: 1, ymin: 2, xmax: 3.5, ymax: 4 };
const face = { bounding_box: box, detection_score: 0.9, crop_jpeg: Buffer.from('c'), landmarks: null };
const bbox = '{"xmax":3.5,"xmin":1.0,"ymax":4.0,"ymin":2.0}';
const point = (x: number) => ({ x, y: 0.5 });

const unary = loadRpcs().filter(({ responseStream }) => !responseStream);
const takesPicture = ({ fieldsArray }: protobuf.Type) => fieldsArray.some(({ type }) => type === 'bytes');
const responses = new Map(
  unary.map(({ request, response }) => [response.name, renderer(response, takesPicture(request))]),
);
const render = (type: string, answer: object) => responses.get(type)?.(answer, 12.3456) ?? '';

test('faces left out of a thousand are told, those that max_faces left out are not', () => {
  const messageOf = (count: number, omitted_faces: number) => {
    const { message } = JSON.parse(
      render('DetectAllFacesResponse', { faces: Array<typeof face>(count).fill(face), omitted_faces, details: null }),
    ) as { message: string };
    return message;
  };
  assert.equal(messageOf(1000, 0), 'success');
  assert.equal(messageOf(999, 12), 'success');
  assert.equal(messageOf(1000, 1), 'success, the smallest face was left out');
  assert.equal(messageOf(1000, 12), 'success, the 12 smallest faces were left out');
});

test('the documented answers', () => {
  const plain = `"bbox":${bbox},"detection_score":"0.9000"`;
  const details = {
    image: { width: 640, height: 480 },
    threshold: { value: 1, source: 'THRESHOLD_SOURCE_COMPANY' },
    model: { name: 'm', version: '1' },
  };
  const shownDetails =
    '"image":{"width":640,"height":480},"threshold":{"value":1.0,"source":"company"},' +
    '"model":{"name":"m","version":"1"}';
  const landmarks = {
    right_eye: point(1),
    left_eye: point(2),
    nose_tip: point(3),
    right_mouth_corner: point(4),
    left_mouth_corner: point(5),
  };
  const shownLandmarks = Object.keys(landmarks)
    .map((name, index) => `"${name}":{"x":${index + 1}.0,"y":0.5}`)
    .join();
  const empty = Buffer.alloc(0);
  const reading = { unit: 'm3', confidence: 1, status: 'READING_STATUS_OK', bounding_box: null };
  const table: [string, object, string][] = [
    ['DetectSingleFaceResponse', { face, details: null }, `${head},${plain},"face":"Yw=="}`],
    [
      'DetectSingleFaceResponse',
      { face: { ...face, crop_jpeg: empty, landmarks }, details },
      `${head},${plain},"landmarks":{${shownLandmarks}},${shownDetails}}`,
    ],
    ['DetectAllFacesResponse', { faces: [], omitted_faces: 0, details: null }, `${head},"result":[]}`],
    [
      'DetectAllFacesResponse',
      { faces: [face, { ...face, crop_jpeg: empty }], omitted_faces: 1, details },
      `${head},"result":[{${plain},"face":"Yw=="},{${plain}}],${shownDetails}}`,
    ],
    [
      'GetDetectionScoreResponse',
      { company: 'a', detection_score: 0 },
      '{"message":"success","company":"a","detection_score":0.0}',
    ],
    [
      'ReadMeterResponse',
      {
        ...{ ...reading, meter_number: '007', value: '00.7' },
        // 9 is an enum value newer than this facade.
        warnings: ['READING_WARNING_LOW_LIGHT', 9],
        digits: [{ digit: '7', confidence: 0.5, bounding_box: box }],
      },
      `${head},"meter_number":"007","value":"00.7","unit":"m3","confidence":1.0,"status":"ok",` +
        `"warnings":["LOW_LIGHT","9"],"digits":[{"digit":"7","confidence":0.5,"bbox":${bbox}}]}`,
    ],
    [
      'ReadMeterResponse',
      {
        ...{ ...reading, meter_number: '07', value: '07', warnings: [], digits: [] },
        alternatives: { readings: [{ meter_number: '08', value: '08', probability: 0.25 }] },
        printed: { serial_number: '', unit: 'm3' },
      },
      `${head},"meter_number":"07","value":"07","unit":"m3","confidence":1.0,"status":"ok",` +
        '"warnings":[],"digits":[],"alternatives":[{"meter_number":"08","value":"08",' +
        '"probability":0.25}],"printed":{"serial_number":"","unit":"m3"}}',
    ],
  ];
  for (const [type, answer, text] of table) assert.equal(render(type, answer), text);
});
