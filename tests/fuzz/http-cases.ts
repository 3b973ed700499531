import { DetectAllFacesRequest } from '../../generated/imageanalysis/v1/face_detection.js';
import { ReadMeterRequest } from '../../generated/imageanalysis/v1/meter_reading.js';
import { mutate, strangeText } from './mutate.js';
import type { PicturePicker } from './picture-picker.js';
import type { Random } from './random.js';

/** One HTTP request, byte by byte, and what to call it in a report. */
export interface HttpCase {
  readonly kind: string;
  readonly bytes: Buffer;
  readonly picture?: Buffer;
  /** Whether the head is whole, so that an answer is owed. */
  readonly owesAnswer: boolean;
  /** Requests that it consists of; absent: one. */
  readonly requests?: number;
}

/** What the requests are made of. */
export interface HttpMaterial {
  readonly apiKey: string;
  readonly pictures: PicturePicker;
}

type Generator = (random: Random, material: HttpMaterial) => HttpCase;

const detections = ['/face_detect_single', '/face_detect_multi'];
const meterUpload = '/meter-number-ocr/file';
const uploads = [...detections, meterUpload];
const fields = [DetectAllFacesRequest, ReadMeterRequest]
  .flatMap((request) => Object.keys(request.fromPartial({})))
  .map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  .concat('no_such_field');
const sane = ['0.5', '1', '0', 'true', 'false', 'demo', ''];

/** A multipart upload of a picture that may be damaged, with fields that may be strange. */
const multipart: Generator = (random, { apiKey, pictures }) => {
  const path = random.pick(uploads);
  const picture = path === meterUpload ? pictures.forMeter(random) : pictures.forFaces(random);
  const file = random.chance(0.8) ? mutate(picture.bytes, random) : picture.bytes;
  const boundary = random.chance(0.05) ? strangeBoundary(random) : 'fuzz-boundary';
  const part = (disposition: string, body: Buffer | string): Buffer =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`),
      Buffer.from(body),
      Buffer.from('\r\n'),
    ]);
  const parts = [part('name="file"; filename="a.jpg"', file)];
  for (let left = random.chance(0.4) ? 1 + random.int(3) : 0; left > 0; left -= 1) {
    const value = random.chance(0.5) ? random.pick(sane) : strangeText(random);
    parts.push(part(`name="${random.pick(fields)}"`, value));
  }
  if (random.chance(0.1)) parts.push(part('name="file"; filename="b.jpg"', file));
  let body: Buffer = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  if (random.chance(0.2)) body = mutate(body, random);
  const type = `multipart/form-data; boundary="${boundary}"`;
  return { ...post({ kind: `multipart, ${picture.name}`, path, type, apiKey, body, random }), picture: file };
};

/** Up to where the headers are too long. */
const strangeBoundary = (random: Random): string =>
  random.pick(['b', "'()+_,-./:=? "]).repeat(1 + random.int(17_000)) + 'b';

/** JSON with a data URL, each damaged now and then. */
const dataUrl: Generator = (random, { apiKey, pictures }) => {
  const picture = pictures.forMeter(random);
  const media = random.pick(['image/jpeg', 'image/png', 'text/html', '', 'image/svg+xml']);
  let base64 = picture.bytes.toString('base64');
  if (random.chance(0.3)) base64 = mutate(Buffer.from(base64), random).toString('latin1');
  const image: unknown = random.chance(0.85)
    ? `data:${media};base64,${base64}`
    : random.pick([strangeText(random), 7, null, [], {}, ['data:'], true]);
  const json = JSON.stringify(random.chance(0.9) ? { image } : random.pick([[image], image, { image, x: 1 }]));
  const body = random.chance(0.25) ? mutate(Buffer.from(json), random) : Buffer.from(json);
  const type = random.pick(['application/json', 'text/plain', '', 'application/json; charset=utf-16']);
  return post({ kind: 'data URL', path: '/meter-number-ocr/base64', type, apiKey, body, random });
};

/** JSON that is small to send and large to parse. */
const values: Generator = (random, { apiKey }) => {
  const count = random.int(50_000);
  const image = random.pick([
    () => '['.repeat(count) + ']'.repeat(count),
    () => `[${'{},'.repeat(count)}1]`,
    () => `"data:image/png;base64,${'A '.repeat(count)}"`,
    () => `"data:image/png;base64,!${' '.repeat(20 * count)}="`,
    () => `{${Array.from({ length: count }, (_, index) => `"${index}":1,`).join('')}"__proto__":{}}`,
  ])();
  const body = Buffer.from(`{"image":${image},"__proto__":{"image":""}}`);
  const type = 'application/json';
  return post({ kind: 'many values', path: '/meter-number-ocr/base64', type, apiKey, body, random });
};

/** The query string of the score configuration. */
const query: Generator = (random, { apiKey }) => {
  const names = ['detection', 'company', 'password', strangeText(random)];
  const values = ['0.5', '', '1.0000001', '-0', '1e-1', 'NaN', '0x1', strangeText(random)];
  const pairs = Array.from({ length: random.int(6) }, () => {
    const name = encode(random.pick(names), random);
    return random.chance(0.2) ? name : `${name}=${encode(random.pick(values), random)}`;
  });
  const path = random.pick(['/face_config_score', '/v1/companies/demo/detection-score', '/nowhere']);
  const method = random.pick(['GET', 'GET', 'GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT']);
  return head(`query string, ${method}`, method, `${path}?${pairs.join('&')}`, [`apikey: ${apiKey}`]);
};

/** Headers and addresses that are odd but well formed, keys of every kind. */
const headers: Generator = (random, { apiKey }) => {
  const printable = strangeText(random).replace(/[^\x20-\x7e]/g, '?');
  const keys = [apiKey, '', 'x', printable, apiKey.slice(0, -1), 'a'.repeat(5_000)];
  const lines = [
    `apikey: ${random.pick(keys)}`,
    `x-request-id: ${printable}`,
    `x-forwarded-for: ${printable}`,
    `accept-encoding: ${printable}`,
    `expect: ${random.pick(['100-continue', printable])}`,
    `content-type: ${printable}`,
    `transfer-encoding: ${random.pick(['chunked', 'gzip', printable])}`,
    `content-length: ${random.pick(['0', '99999999999', '-1', '1e3', printable])}`,
  ].filter(() => random.chance(0.4));
  const path = random.pick([...uploads, '/', '//', '/%2e%2e/', '/livez', '/%', '/readyz?x']);
  const method = random.pick(['GET', 'POST', 'POST', 'PATCH', 'TRACE']);
  // A body may be promised that never comes: the end of the connection must end the request.
  return { ...head('headers', method, path, lines), owesAnswer: false };
};

/** Requests one after the other, whose answers nobody awaits. */
const pipelined: Generator = (random, { apiKey }) => {
  const path = random.pick(['/livez', '/readyz', '/nowhere', '/face_config_score?detection']);
  const text = `GET ${path} HTTP/1.1\r\nhost: fuzz\r\napikey: ${apiKey}\r\n\r\n`;
  const requests = 1 + random.int(3_000);
  const bytes = Buffer.from(text.repeat(requests));
  return { kind: 'pipelined', bytes, owesAnswer: false, requests };
};

/** Bytes that may be no HTTP at all. */
const broken: Generator = (random, material) => {
  const whole = random.pick([multipart, dataUrl, query, headers])(random, material);
  const start = whole.bytes.subarray(0, 600);
  const bytes = random.chance(0.1) ? random.bytes(200) : mutate(Buffer.from(start), random);
  return { kind: 'broken HTTP', bytes, owesAnswer: false };
};

const generators: readonly Generator[] = [
  ...Array<Generator>(8).fill(multipart),
  ...Array<Generator>(4).fill(dataUrl),
  values,
  ...Array<Generator>(4).fill(query),
  ...Array<Generator>(2).fill(headers),
  ...Array<Generator>(2).fill(broken),
  pipelined,
];

/** One request of a kind that chance chooses. */
export function createHttpCase(random: Random, material: HttpMaterial): HttpCase {
  return random.pick(generators)(random, material);
}

interface Post {
  readonly kind: string;
  readonly path: string;
  readonly type: string;
  readonly apiKey: string;
  readonly body: Buffer;
  readonly random: Random;
}

function post({ kind, path, type, apiKey, body, random }: Post): HttpCase {
  const lies = random.chance(0.03);
  const length = lies ? body.length + random.int(100) - 50 : body.length;
  const lines = [`apikey: ${apiKey}`, `content-length: ${length}`];
  if (type !== '') lines.push(`content-type: ${type}`);
  const start = head(kind, 'POST', path, lines);
  return { kind, bytes: Buffer.concat([start.bytes, body]), owesAnswer: !lies };
}

function head(kind: string, method: string, path: string, lines: readonly string[]): HttpCase {
  const text = [`${method} ${path} HTTP/1.1`, 'host: fuzz', 'connection: close', ...lines, '', ''];
  return { kind, bytes: Buffer.from(text.join('\r\n'), 'latin1'), owesAnswer: true };
}

function encode(text: string, random: Random): string {
  // Only what would end the request line must be encoded.
  return random.chance(0.7) ? encodeURIComponent(text) : text.replace(/[^\x21-\x7e]/g, '+');
}
