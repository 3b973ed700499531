import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppOptions } from '../../../rest-facade/server/app.js';
import { untilStill } from '../../helpers/eventually.js';
import { createForm } from '../../helpers/net/form.js';
import { grpcFrame } from '../../helpers/net/grpc-frame.js';
import { withKey } from '../facade.js';
import { multipartRequest, openSocket } from '../raw-http.js';
import { serveApp } from '../serve-app.js';

type Core = AppOptions['core'];

/** As REST shows it. */
interface Shown {
  readonly result: readonly { readonly face?: string }[];
}

const part = 'content-disposition: form-data; name="file"; filename="a"';
const request = multipartRequest('/face_detect_multi', `--b\n${part}\n\nx\n--b--\n`);
const toFaces = (crops: readonly Buffer[]) => ({ faces: crops.map((crop_jpeg) => ({ crop_jpeg })) });

test(
  'the base64 of megabytes is made as it is read, in many turns of the event loop',
  { timeout: 30_000 },
  async (t) => {
    let made = 0;
    let madeInTurn = 0;
    let mostInTurn = 0;
    const crops = Array.from({ length: 300 }, () => {
      const crop = randomBytes(160_000);
      const toString = crop.toString.bind(crop);
      crop.toString = (...args) => {
        const text = toString(...args);
        made += text.length;
        if (madeInTurn === 0) setImmediate(() => (madeInTurn = 0));
        mostInTurn = Math.max(mostInTurn, (madeInTurn += text.length));
        return text;
      };
      return crop;
    });
    const port = await serveApp(t, { core: { call: () => Promise.resolve(toFaces(crops)) } });
    const socket = await openSocket(port);
    socket.write(request);
    await once(socket, 'readable');
    // What fits in the buffers of both sockets is written without being read.
    await untilStill(() => made);
    const all = crops.length * 160_000 * (4 / 3);
    assert.ok(made < all / 2, `${made} of ${all} characters for a caller who reads none`);
    const text = (await buffer(socket)).toString();
    const { result } = JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) as Shown;
    assert.equal(result.length, crops.length);
    result.forEach(({ face = '' }, index) =>
      assert.ok(crops[index]?.equals(Buffer.from(face, 'base64')), String(index)),
    );
    assert.ok(mostInTurn < 1_000_000, `${mostInTurn} characters in one turn`);
  },
);

test('nothing more is made for a caller who leaves in the middle', { timeout: 30_000 }, async (t) => {
  let made = 0;
  const crop = randomBytes(30_000_000);
  const toString = crop.toString.bind(crop);
  crop.toString = (...args) => {
    made += 1;
    return toString(...args);
  };
  const port = await serveApp(t, { core: { call: () => Promise.resolve(toFaces([crop])) } });
  for (const readBytes of [1, 100_000, 1_000_000, 5_000_000]) {
    const socket = await openSocket(port);
    socket.write(request);
    let read = 0;
    for await (const chunk of socket as AsyncIterable<Buffer>) if ((read += chunk.length) >= readBytes) break;
    const madeBefore = made;
    await sleep(200);
    assert.ok(made - madeBefore < 200, `${made - madeBefore} slices after ${readBytes} bytes`);
  }
});

const sizes = [200_000, 0, 60_000, 1, 45 * 1024 - 1, 45 * 1024, 45 * 1024 + 1, 0, 300_000, 90 * 1024, 2];
const crops = sizes.map((size) => randomBytes(size));
const answer = toFaces(crops);
const expected = crops.map((crop) => crop.toString('base64'));
const shownIn = ({ result }: Shown) => result.map(({ face = '' }) => face);

test('large answers of REST are whole', async (t) => {
  const port = await serveApp(t, { core: { call: () => Promise.resolve(answer) } });
  for (let time = 0; time < 2; time += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/face_detect_multi`, {
      method: 'POST',
      headers: withKey,
      body: createForm(Buffer.from('x')),
    });
    const text = await response.text();
    assert.equal(response.headers.get('content-length'), String(text.length));
    assert.deepEqual(shownIn(JSON.parse(text) as Shown), expected);
  }
});

test('large lines of a batch are whole', async (t) => {
  const stream: Core['stream'] = (_rpc, _call, onAnswer) => {
    const send = ({ id }: { id: string }) => onAnswer({ id, response: answer, error: null });
    return { send, end: () => undefined, ended: Promise.resolve() };
  };
  const port = await serveApp(t, { core: { stream } });
  const body = new FormData();
  for (const name of ['a', 'b', 'c']) body.append('file', new Blob(['x']), name);
  const response = await fetch(`http://127.0.0.1:${port}/v1/faces/batch`, { method: 'POST', headers: withKey, body });
  const lines = (await response.text()).split('\n');
  assert.equal(lines.pop(), '');
  const read = lines.map((line) => JSON.parse(line) as Shown & { filename: string });
  assert.deepEqual(
    read.map(({ filename }) => filename),
    ['a', 'b', 'c'],
  );
  for (const line of read) assert.deepEqual(shownIn(line), expected);
});

for (const [name, headBytes] of [
  ['application/json', 0],
  ['application/grpc-web+json', 5],
] as const) {
  test(`large answers in ${name} are whole`, async (t) => {
    const port = await serveApp(t, { core: { call: () => Promise.resolve(answer) } });
    const path = '/imageanalysis.v1.FaceDetectionService/DetectAllFaces';
    const message = Buffer.from('{"image":"AAAA"}');
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { ...withKey, 'content-type': name },
      body: headBytes > 0 ? grpcFrame(message) : message,
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const length = headBytes > 0 ? bytes.readUInt32BE(1) : bytes.length;
    const { faces } = JSON.parse(bytes.subarray(headBytes, headBytes + length).toString()) as {
      faces: { cropJpeg?: string }[];
    };
    assert.deepEqual(
      faces.map(({ cropJpeg = '' }) => cropJpeg),
      expected,
    );
  });
}
