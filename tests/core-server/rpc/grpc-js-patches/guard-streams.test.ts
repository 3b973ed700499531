import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { connect, constants, createServer } from 'node:http2';
import { before, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { guardStreams, type StreamLimits } from '../../../../core-server/rpc/grpc-js-patches/guard-streams.js';
import {
  chunkOverheadBytes,
  maxKeylessMessageBytes,
  maxKeylessMessages,
  noteAnswer,
  waitingMessageBytes,
} from '../../../../core-server/rpc/grpc-js-patches/limit-messages.js';
import { createMessageMeter } from '../../../../core-server/rpc/grpc-js-patches/message-meter.js';
import { linkToStream } from '../../../../core-server/rpc/grpc-js-patches/refuse-stream.js';
import { maxMetadataBytes } from '../../../../core-server/rpc/grpc-js-patches/sanitize-headers.js';
import {
  DetectSingleFaceRequest,
  StreamDetectFacesRequest,
} from '../../../../generated/imageanalysis/v1/face_detection.js';
import { ReadMeterRequest, StreamReadMetersRequest } from '../../../../generated/imageanalysis/v1/meter_reading.js';
import { maxSmallChunks } from '../../../../runtime/limits/chunk-size.js';
import { createFairBudget } from '../../../../runtime/limits/fair-budget.js';
import { collectLog } from '../../../helpers/collect-log.js';
import { deferred } from '../../../helpers/deferred.js';
import { eventually } from '../../../helpers/eventually.js';
import { createLifetime } from '../../../helpers/lifetime.js';
import { grpcFrame } from '../../../helpers/net/grpc-frame.js';
import { listen } from '../../../helpers/net/listen.js';
import { scriptedPicture } from '../../../helpers/pictures/scripted-pictures.js';
import { startScripted } from '../../../helpers/service/scripted-service.js';
import { addressOf, answer, serve, type ServeOptions } from '../served-calls.js';

const detectSinglePath = '/imageanalysis.v1.FaceDetectionService/DetectSingleFace';
const readMeterPath = '/imageanalysis.v1.MeterReadingService/ReadMeter';
const streamFacesPath = '/imageanalysis.v1.FaceDetectionService/StreamDetectFaces';
const streamMetersPath = '/imageanalysis.v1.MeterReadingService/StreamReadMeters';
const checkPath = '/grpc.health.v1.Health/Check';
const watchPath = '/grpc.health.v1.Health/Watch';
const reflectionPaths = ['v1', 'v1alpha'].map(
  (version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
);
const ok = '0';
const invalidArgument = '3';
const resourceExhausted = '8';
const unimplemented = '12';
const internal = '13';
const unauthenticated = '16';
const mebibyte = 2 ** 20;

function open(
  t: TestContext,
  address: string,
  settings: { initialWindowSize?: number } = {},
  localAddress = '127.0.0.1',
) {
  // Megabytes; with less, a client that has much to send breaks its calls off itself.
  const maxSessionMemory = 1_000;
  const options = { settings, maxSessionMemory, localAddress };
  const session = connect(`http://${address}`, options);
  session.on('error', () => undefined);
  t.after(() => session.destroy());
  return session;
}

function call(session: ClientHttp2Session, path: string, headers: Record<string, string> = {}): ClientHttp2Stream {
  const begin = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
  const stream = session.request({ ...begin, ...headers }, { endStream: false });
  stream.on('error', () => undefined);
  return stream;
}

/** A call whose message has no bytes. */
function emptyCall(...args: Parameters<typeof call>): ClientHttp2Stream {
  return call(...args).end(grpcFrame(Buffer.alloc(0)));
}

/** The gRPC status of a call, or the HTTP/2 code with which its stream was closed. */
async function endOf(stream: ClientHttp2Stream): Promise<string | number> {
  const { 'grpc-status': status } = await trailersOf(stream);
  return typeof status === 'string' ? status : stream.rstCode;
}

/** The headers that tell how a call ended. */
function trailersOf(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> {
  return new Promise((resolve) => {
    const onHeaders = (headers: IncomingHttpHeaders) => {
      if ('grpc-status' in headers) resolve(headers);
    };
    stream.on('response', onHeaders).on('trailers', onHeaders);
    stream.on('close', () => resolve({}));
    stream.resume();
  });
}

/** How the first of these calls ends that is refused, or nothing; then all are cancelled. */
async function firstRefused(streams: readonly ClientHttp2Stream[]): Promise<IncomingHttpHeaders> {
  const ends = streams.map(trailersOf);
  const none: IncomingHttpHeaders = {};
  const refused = await Promise.race([...ends, sleep(60_000, none, { ref: false })]);
  for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
  await Promise.all(ends);
  return refused;
}

/** The details of a refusal as text, whose bytes hold its names as they are. */
const detailsIn = (trailers: IncomingHttpHeaders): string =>
  Buffer.from(String(trailers['grpc-status-details-bin']), 'base64').toString();

/** Messages of no bytes, in one piece. */
const emptyMessages = (count: number): Buffer => Buffer.alloc(5 * count);

/** A bare server behind the guard, whose calls are refused by a reset. */
async function serveGuarded(
  t: TestContext,
  limits: Partial<StreamLimits>,
  onStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
): Promise<string> {
  const http2Server = createServer();
  guardStreams(http2Server, {
    maxMessageBytes: mebibyte,
    messageBytes: createFairBudget(mebibyte),
    messageBytesOfKeys: createFairBudget(64 * mebibyte),
    unreadBytes: createFairBudget(mebibyte),
    takeAnswerMs: 60_000,
    ...limits,
  });
  http2Server.on('stream', (stream, headers) => {
    const call = { stream } as unknown as Parameters<typeof linkToStream>[0];
    linkToStream(call, ({ reason }) => {
      if (reason !== 'CLIENT_CLOSED' && reason !== 'DEADLINE') stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    });
    onStream(
      stream.on('error', () => undefined),
      headers,
    );
  });
  return `127.0.0.1:${await listen(t, http2Server)}`;
}

/** Serves readings as the core does, for every key. @returns its address */
async function serveReadings(t: Parameters<typeof serve>[0], options?: ServeOptions): Promise<string> {
  return addressOf(await serve(t, () => Promise.resolve(answer), options));
}

const key = { apikey: 'secret' };

const lifetime = createLifetime();
/** For calls that leave it as it was. */
let shared: string;
before(async () => {
  shared = await serveReadings(lifetime);
});

test('a meter counts the whole messages, and the bytes of the one that is not', () => {
  const bytes = Buffer.concat([grpcFrame(Buffer.alloc(10)), grpcFrame(Buffer.alloc(0)), grpcFrame(Buffer.alloc(300))]);
  for (const step of [1, 2, 7, 400]) {
    const add = createMessageMeter();
    const counts: number[] = [];
    const chunkCounts: number[] = [];
    let messages = 0;
    for (let at = 0; at < bytes.length; at += step) {
      const { unfinished, chunks, whole } = add(bytes.subarray(at, at + step));
      counts.push(unfinished);
      chunkCounts.push(chunks);
      messages += whole.length;
    }
    assert.equal(chunkCounts.at(-1), 0, `in steps of ${step}`);
    // The last message begins with the 21st byte.
    const ofTheLast = Math.ceil(325 / step) - Math.floor(20 / step) - 1;
    assert.equal(Math.max(...chunkCounts), ofTheLast, `in steps of ${step}`);
    assert.equal(messages, 3, `in steps of ${step}`);
    assert.equal(counts.at(-1), 0, `in steps of ${step}`);
    assert.ok(Math.max(...counts) <= 304, `in steps of ${step}`);
    if (step === 1)
      assert.deepEqual(counts.slice(0, 21), [...Array(14).keys()].map((i) => i + 1).concat(0, 1, 2, 3, 4, 0, 1));
  }
});

test('a caller without a key cannot have large messages kept', async (t) => {
  const session = open(t, shared);
  for (const path of [checkPath, ...reflectionPaths]) {
    for (const length of [mebibyte, maxKeylessMessageBytes + 1]) {
      const stream = call(session, path);
      stream.write(grpcFrame(Buffer.alloc(0), { length }));
      assert.equal(await endOf(stream), constants.NGHTTP2_ENHANCE_YOUR_CALM, `${path}, ${length}`);
    }
  }
  assert.equal(await endOf(emptyCall(session, checkPath)), ok);
});

test('a caller without a key cannot have many messages answered in one call', async (t) => {
  const session = open(t, shared);
  for (const path of reflectionPaths) {
    const most = call(session, path);
    most.end(emptyMessages(maxKeylessMessages));
    assert.equal(await endOf(most), ok, path);
    const tooMany = call(session, path);
    tooMany.write(emptyMessages(maxKeylessMessages));
    await once(tooMany, 'data');
    tooMany.end(emptyMessages(1));
    assert.equal(await endOf(tooMany), constants.NGHTTP2_ENHANCE_YOUR_CALM, path);
  }
});

test('messages of a stream count until they are answered, each as what it is', async (t) => {
  // One address gets four fifths, a hundred empty ones.
  const most = 100;
  const messageBytes = createFairBudget(1.25 * most * (5 + waitingMessageBytes));
  const served: ServerHttp2Stream[] = [];
  const address = await serveGuarded(t, { messageBytes }, (stream) => {
    served.push(stream);
    stream.resume().respond();
  });
  const session = open(t, address);
  const begin = () => call(session, streamMetersPath);
  const noteLast = (message: number) =>
    noteAnswer({ call: { stream: served.at(-1) } } as unknown as Parameters<typeof noteAnswer>[0], message);

  const tooMany = begin();
  tooMany.write(emptyMessages(most + 1));
  assert.equal(await endOf(tooMany), constants.NGHTTP2_ENHANCE_YOUR_CALM);

  const oneByOne = begin();
  for (let count = 0; count < 3 * most; count += 1) {
    oneByOne.write(emptyMessages(1));
    while (messageBytes.taken === 0) await sleep(0);
    noteLast(count);
    assert.equal(messageBytes.taken, 0);
  }

  // They wait on once all have come; none is given back twice.
  const waiting = begin();
  waiting.end(Buffer.concat([emptyMessages(1), grpcFrame(Buffer.alloc(45)), emptyMessages(1)]));
  await eventually(() => served.at(-1)?.readableEnded);
  const counts = [messageBytes.taken];
  for (const message of [2, 2, 0, 1, 3]) {
    noteLast(message);
    counts.push(messageBytes.taken);
  }
  const [small, large] = [5 + waitingMessageBytes, 50 + waitingMessageBytes];
  assert.deepEqual(counts, [2 * small + large, small + large, small + large, large, 0, 0]);
  waiting.close(constants.NGHTTP2_CANCEL);
  await once(waiting.resume(), 'close');

  // What is answered after its caller has gone takes no room again.
  const gone = begin();
  gone.write(emptyMessages(2));
  await eventually(() => messageBytes.taken > 0);
  gone.close(constants.NGHTTP2_CANCEL);
  await eventually(() => messageBytes.taken === 0);
  noteLast(0);
  assert.equal(messageBytes.taken, 0);
});

test('what arrives counts, whether or not it is read', async (t) => {
  const messageBytes = createFairBudget(mebibyte);
  const address = await serveGuarded(t, { messageBytes }, (stream) => stream.pause());
  const stream = call(open(t, address), streamMetersPath);
  stream.write(grpcFrame(Buffer.alloc(10_000), { length: mebibyte }));
  await eventually(() => messageBytes.taken >= 10_000);
  stream.close(constants.NGHTTP2_CANCEL);
  await eventually(() => messageBytes.taken === 0);
});

test('pictures of streams that are answered give back no others', async (t) => {
  // Of each stream, four requests are in progress.
  const { service } = await startScripted(t, { CORE_WORKERS: '2' });
  const session = open(t, service.grpc);
  const item = (image: Buffer) =>
    grpcFrame(StreamReadMetersRequest.encode({ id: 'a', request: ReadMeterRequest.fromPartial({ image }) }).finish());
  const large = item(scriptedPicture('a', 'wait', { bytes: 9 * mebibyte }));
  // Refused before it needs a worker.
  const none = item(Buffer.alloc(0));
  // Four fifths of 320 MiB hold the large ones of nine streams.
  for (let count = 0; count < 12; count += 1) {
    const stream = call(session, streamMetersPath, { apikey: service.apiKey });
    const end = trailersOf(stream);
    let answers = 0;
    stream.on('data', () => (answers += 1));
    for (let sent = 0; sent < 3; sent += 1) stream.write(large);
    for (let sent = 0; sent < 4 && !stream.closed; sent += 1) {
      stream.write(none);
      await eventually(() => answers > sent || stream.closed);
    }
    if (stream.closed) return assert.match(detailsIn(await end), /QUEUE_FULL/);
  }
  assert.fail('no stream was refused');
});

test('the pictures of streams have a budget, and one stream of the largest finds room in it', async (t) => {
  const { service, stage } = await startScripted(t);
  const session = open(t, service.grpc);
  const request = ReadMeterRequest.fromPartial({ image: scriptedPicture('a', 'wait', { bytes: 9 * mebibyte }) });
  const item = grpcFrame(StreamReadMetersRequest.encode({ id: 'a', request }).finish());
  const begin = (count: number) => {
    const stream = call(session, streamMetersPath, { apikey: service.apiKey });
    for (let sent = 0; sent < count; sent += 1) stream.write(item);
    stream.end();
    return stream;
  };
  const many = Array.from({ length: 20 }, () => begin(3));
  assert.match(detailsIn(await firstRefused(many)), /QUEUE_FULL[^]*memory/);

  stage.release('a');
  assert.equal(await endOf(begin(40)), ok);
});

/** Sends a message byte by byte, each in a frame of its own, and waits until all have come. */
async function crumble(stream: ClientHttp2Stream, bytes: Uint8Array): Promise<void> {
  for (const byte of bytes) await new Promise((resolve) => stream.write(Uint8Array.of(byte), resolve));
}

const withinMs = { timeout: 20_000 };

test('a message that comes in very many small chunks is not waited for', withinMs, async (t) => {
  const address = await serveGuarded(t, {}, (stream) => {
    stream.resume().once('end', () => stream.respond({ 'grpc-status': ok }, { endStream: true }));
  });
  const session = open(t, address);
  const most = call(session, readMeterPath);
  const mostEnds = endOf(most);
  await crumble(most, grpcFrame(Buffer.alloc(maxSmallChunks - 5), { length: mebibyte }));
  most.end();
  assert.equal(await mostEnds, ok);

  const tooMany = call(session, readMeterPath);
  const tooManyEnd = endOf(tooMany);
  await crumble(tooMany, grpcFrame(Buffer.alloc(maxSmallChunks - 4), { length: mebibyte }));
  assert.equal(await tooManyEnd, constants.NGHTTP2_ENHANCE_YOUR_CALM);

  // A large one makes up for them.
  const mixed = call(session, readMeterPath);
  const mixedEnds = endOf(mixed);
  mixed.write(grpcFrame(Buffer.alloc(maxSmallChunks * 100), { length: mebibyte }));
  await crumble(mixed, Buffer.alloc(maxSmallChunks));
  mixed.end();
  assert.equal(await mixedEnds, ok);
});

test('many small messages of a stream are no small chunks of one', async (t) => {
  let taken = 0;
  const messageBytes = createFairBudget(3 * maxSmallChunks * waitingMessageBytes);
  const address = await serveGuarded(t, { messageBytes }, (stream) => {
    stream.on('data', (chunk: Buffer) => (taken += chunk.length));
    stream.once('end', () => stream.respond({ 'grpc-status': ok }, { endStream: true }));
  });
  const stream = call(open(t, address), readMeterPath);
  const end = endOf(stream);
  const count = maxSmallChunks * 2;
  for (let sent = 0; sent < count; sent += 1) await new Promise((resolve) => stream.write(emptyMessages(1), resolve));
  stream.end();
  assert.equal(await end, ok);
  assert.equal(taken, count * 5);
});

test('each chunk of an unfinished message counts as more than its bytes', withinMs, async (t) => {
  // One address gets four fifths, a hundred of them.
  const limits = { messageBytes: createFairBudget(125 * (chunkOverheadBytes + 1)) };
  const address = await serveGuarded(t, limits, () => undefined);
  const session = open(t, address);
  const stream = call(session, readMeterPath);
  const end = endOf(stream);
  await crumble(stream, grpcFrame(Buffer.alloc(96), { length: mebibyte }));
  assert.equal(await end, constants.NGHTTP2_ENHANCE_YOUR_CALM);
});

test('responses count until they are read, and one too many is dropped', async (t) => {
  const unreadBytes = createFairBudget(1_000);
  const address = await serveGuarded(t, { unreadBytes }, (stream) => {
    stream.respond();
    stream.write(Buffer.alloc(500));
  });
  const reader = call(open(t, address), readMeterPath);
  await once(reader, 'data');
  await eventually(() => unreadBytes.taken === 0);

  const session = open(t, address, { initialWindowSize: 0 });
  const unread = call(session, readMeterPath);
  await once(unread, 'response');
  assert.equal(unreadBytes.taken, 500);
  const dropped = call(session, readMeterPath);
  assert.equal(await endOf(dropped), constants.NGHTTP2_ENHANCE_YOUR_CALM);
  unread.close(constants.NGHTTP2_CANCEL);
  await eventually(() => unreadBytes.taken === 0);
  // What was cancelled is not given back twice.
  await sleep(10);
  assert.equal(unreadBytes.taken, 0);
});

test('who has no room for one more response like its unread ones is refused before the analysis', async (t) => {
  const { service, stage } = await startScripted(t);
  const session = open(t, service.grpc, { initialWindowSize: 1_000 });
  await once(session, 'remoteSettings');
  const image = scriptedPicture('a', 'answer', { cropBytes: 40 * mebibyte });
  const ask = (on = session) => {
    const stream = call(on, detectSinglePath, { apikey: service.apiKey });
    stream.end(grpcFrame(DetectSingleFaceRequest.encode(DetectSingleFaceRequest.fromPartial({ image })).finish()));
    return stream;
  };
  // One address has four fifths of 256 MiB.
  const unread = Array.from({ length: 5 }, () => ask());
  await Promise.all(unread.map((stream) => once(stream.pause(), 'readable')));

  const refused = await trailersOf(ask());
  assert.equal(refused['grpc-status'], resourceExhausted);
  assert.match(detailsIn(refused), /QUEUE_FULL/);
  assert.equal(stage.begun.length, unread.length);
  assert.equal(await endOf(emptyCall(session, checkPath)), ok);

  for (const stream of unread) stream.close(constants.NGHTTP2_CANCEL);
  const reader = open(t, service.grpc);
  await eventually(async () => (await endOf(ask(reader))) === ok);
});

test('the responses of one stream count together', async (t) => {
  const unreadBytes = createFairBudget(1_000);
  const address = await serveGuarded(t, { unreadBytes }, (stream) => {
    stream.respond();
    for (let sent = 0; sent < 2; sent += 1) stream.write(Buffer.alloc(300));
  });
  const unread = call(open(t, address, { initialWindowSize: 0 }), readMeterPath);
  await once(unread, 'response');
  assert.equal(unreadBytes.taken, 600);
});

test('all answers of streams count until they are read', async (t) => {
  const settings = { CORE_WORKERS: '2', CORE_MAX_DEADLINE_MS: '120000', CORE_METRICS_PORT: '0' };
  const { service } = await startScripted(t, settings);
  const session = open(t, service.grpc, { initialWindowSize: 0 });
  await once(session, 'remoteSettings');
  const image = scriptedPicture('a', 'answer', { cropBytes: 16 * mebibyte });
  const request = grpcFrame(
    StreamDetectFacesRequest.encode(StreamDetectFacesRequest.fromPartial({ id: 'a', request: { image } })).finish(),
  );
  const ask = () => {
    const stream = call(session, streamFacesPath, { apikey: service.apiKey });
    for (let count = 0; count < 8; count += 1) stream.write(request);
    return endOf(stream);
  };
  // Of each stream, four requests are in progress; four fifths of 256 MiB hold the answers to 12.
  assert.equal(await Promise.race([ask(), ask(), ask(), ask()]), constants.NGHTTP2_ENHANCE_YOUR_CALM);
  const metrics = await (await fetch(`http://127.0.0.1:${service.metricsPorts.core}/metrics`)).text();
  assert.match(metrics, /StreamDetectFaces",code="RESOURCE_EXHAUSTED",reason="QUEUE_FULL"} \d$/m);
});

test('each address has a share of its own', async (t) => {
  const unreadBytes = createFairBudget(1_000);
  const sizes = [500, 350];
  const address = await serveGuarded(t, { unreadBytes }, (stream) => {
    stream.respond();
    stream.write(Buffer.alloc(sizes.shift() ?? 0));
  });
  for (const localAddress of ['127.0.0.1', '127.0.0.2']) {
    const session = open(t, address, { initialWindowSize: 0 }, localAddress);
    await once(call(session, readMeterPath), 'response');
  }
  // Of what the first one leaves, it could have had another 300 itself.
  assert.equal(unreadBytes.taken, 850);
});

test('a key has no more at eight addresses than at one, and leaves room for others', async (t) => {
  const budgets = { messageBytes: createFairBudget(mebibyte), messageBytesOfKeys: createFairBudget(mebibyte) };
  const address = await serveGuarded(t, budgets, (stream) => stream.resume());
  const send = async (localAddress: string, apikey: string) => {
    const stream = call(open(t, address, {}, localAddress), streamFacesPath, { apikey });
    const before = budgets.messageBytes.taken;
    stream.write(grpcFrame(Buffer.alloc(mebibyte / 8), { length: mebibyte }));
    await eventually(() => stream.closed || budgets.messageBytes.taken > before + mebibyte / 8);
    return stream.closed;
  };
  const refused: boolean[] = [];
  for (let host = 1; host <= 8; host += 1) refused.push(await send(`127.0.0.${host}`, 'a'));
  assert.deepEqual(refused, [false, false, false, false, false, false, true, true]);
  assert.equal(await send('127.0.0.9', 'b'), false);
});

test('the message of a unary call counts until the call is answered', async (t) => {
  const messageBytes = createFairBudget(mebibyte);
  const { promise: taken, resolve } = deferred<ServerHttp2Stream>();
  const address = await serveGuarded(t, { messageBytes }, (stream) => {
    stream.resume().once('end', () => resolve(stream));
  });
  const stream = call(open(t, address), readMeterPath);
  stream.resume().end(grpcFrame(Buffer.alloc(1_000)));
  const served = await taken;
  await sleep(10);
  assert.equal(messageBytes.taken, 5 + 1_000 + waitingMessageBytes);
  served.respond({ 'grpc-status': ok }, { endStream: true });
  await eventually(() => messageBytes.taken === 0);
});

test('of a message whose call was refused no more is asked for', async (t) => {
  const stream = call(open(t, shared), readMeterPath);
  const closed = once(stream, 'close');
  stream.write(grpcFrame(Buffer.alloc(10), { length: mebibyte }));
  assert.equal(await endOf(stream), unauthenticated);
  await closed;
  assert.equal(stream.rstCode, constants.NGHTTP2_NO_ERROR);
});

test('a stream that ends in trailers is closed, although its caller has not ended it', withinMs, async (t) => {
  const stream = call(open(t, await serveReadings(t, { idleMs: 100 })), streamMetersPath, key);
  const closed = once(stream, 'close');
  stream.write(Buffer.concat([emptyMessages(1), grpcFrame(Buffer.alloc(10), { length: mebibyte })]));
  const [trailers] = (await once(stream.resume(), 'trailers')) as [IncomingHttpHeaders];
  assert.equal(trailers['grpc-status'], '4');
  await closed;
  assert.equal(stream.rstCode, constants.NGHTTP2_NO_ERROR);
});

test('a request for the health that does not come is not waited for', async (t) => {
  const address = await serveReadings(t, { maxDeadlineMs: 300 });
  assert.equal(await endOf(call(open(t, address), checkPath)), '4');
});

test('messages under way have a budget, which they give back', async (t) => {
  const { service } = await startScripted(t);
  const session = open(t, service.grpc);
  const begin = (headers: Record<string, string>) => {
    const stream = call(session, readMeterPath, headers);
    stream.write(grpcFrame(Buffer.alloc(10 * mebibyte), { length: 10 * mebibyte + 1 }));
    return stream;
  };
  const withKey = { apikey: service.apiKey };
  const streams = Array.from({ length: 30 }, () => begin(withKey));
  // Four fifths of 320 MiB hold 25 of them.
  const refused = await firstRefused(streams);
  assert.equal(refused['grpc-status'], resourceExhausted);
  assert.match(detailsIn(refused), /google\.rpc\.ErrorInfo[^]*QUEUE_FULL[^]*google\.rpc\.RetryInfo/);
  for (let count = 0; count < 30; count += 1)
    assert.equal(await endOf(begin({})), unauthenticated, `without a key, call ${count}`);
  const picture = call(session, readMeterPath, withKey);
  const image = scriptedPicture('a', 'answer', { bytes: 9 * mebibyte });
  picture.end(grpcFrame(ReadMeterRequest.encode({ image }).finish()));
  assert.notEqual(await endOf(picture), resourceExhausted);
});

test('the path of a method that there is not is not repeated without limit', async (t) => {
  const session = open(t, shared);
  for (const [length, repeated] of [
    [128, `/${'x'.repeat(127)}`],
    [129, '/'],
    [6_000, '/'],
    [60_000, '/'],
  ] as const) {
    const stream = emptyCall(session, `/${'x'.repeat(length - 1)}`);
    const { 'grpc-status': status, 'grpc-message': message } = await trailersOf(stream);
    assert.equal(status, unimplemented);
    assert.equal(decodeURIComponent(String(message)), `The server does not implement the method ${repeated}`);
  }
});

test('what gRPC itself answers is as docs/errors.md says', async (t) => {
  const session = open(t, shared);
  const empty = grpcFrame(Buffer.alloc(0));
  const table: [path: string, messages: Buffer[], status: string][] = [
    [readMeterPath, [], unimplemented],
    [readMeterPath, [empty, empty], unimplemented],
    [readMeterPath, [grpcFrame(Buffer.from([0xff]))], invalidArgument],
    [checkPath, [], unimplemented],
    [checkPath, [grpcFrame(Buffer.from([0xff]))], internal],
  ];
  for (const [path, messages, expected] of table) {
    const stream = call(session, path, key);
    stream.end(Buffer.concat(messages));
    assert.equal(await endOf(stream), expected, `${path} ${messages.length}`);
  }
});

test('headers that are large together are refused, and not kept', async (t) => {
  const session = open(t, shared);
  for (const path of [checkPath, watchPath, readMeterPath])
    for (const names of [['x-a'], ['x-a', 'x-b', 'x-c', 'x-d']]) {
      const value = 'x'.repeat(maxMetadataBytes / names.length);
      const stream = emptyCall(session, path, Object.fromEntries(names.map((name) => [name, value])));
      const { 'grpc-status': status, 'grpc-message': message } = await trailersOf(stream);
      assert.equal(status, invalidArgument, path);
      assert.match(decodeURIComponent(String(message)), /^metadata has \d{4,} bytes, want at most/);
    }
  assert.equal(await endOf(emptyCall(session, checkPath, { 'x-a': 'x'.repeat(maxMetadataBytes / 2) })), ok);
});

test('a call that is refused before its key is checked leaves a line', async (t) => {
  const { log, entries } = collectLog();
  const session = open(t, await serveReadings(t, { log, maxDeadlineMs: 1_000 }));
  const table: [headers: Record<string, string>, reason: string, id: RegExp][] = [
    [{ 'grpc-timeout': '5s' }, 'INVALID_FIELD', /^abc-123$/],
    // Its headers are dropped.
    [{ 'x-a': 'x'.repeat(maxMetadataBytes) }, 'INVALID_FIELD', /^[0-9a-f-]{36}$/],
    [key, 'DEADLINE', /^abc-123$/],
  ];
  for (const [headers, expected, id] of table) {
    entries.length = 0;
    const stream = call(session, readMeterPath, { 'x-request-id': 'abc-123', ...headers });
    await trailersOf(stream);
    stream.close();
    const [{ msg, method, reason, request_id: requestId } = {}, ...more] = entries;
    assert.deepEqual([msg, method, reason], ['call refused', readMeterPath, expected]);
    assert.match(String(requestId), id);
    assert.deepEqual(more, []);
  }
});

test('a stream that is refused while it is served leaves one line, with the reason and its id', withinMs, async (t) => {
  const logged = collectLog();
  const session = open(t, await serveReadings(t, { log: logged.log }));
  const inCrumbs = (stream: ClientHttp2Stream) =>
    crumble(stream, grpcFrame(Buffer.alloc(maxSmallChunks - 4), { length: mebibyte }));
  const tooLarge = (stream: ClientHttp2Stream) => stream.write(grpcFrame(Buffer.alloc(0), { length: 11 * mebibyte }));
  const table = [
    [inCrumbs, 'INVALID_FIELD', invalidArgument],
    [tooLarge, 'BODY_TOO_LARGE', resourceExhausted],
  ] as const;
  for (const [send, expected, code] of table) {
    logged.entries.length = 0;
    const stream = call(session, streamMetersPath, key);
    const end = endOf(stream);
    const received = await logged.waitFor(({ msg }) => msg === 'call received');
    await send(stream);
    assert.equal(await end, code);
    const lines = logged.entries.filter(({ msg }) => msg !== 'call received');
    const [{ msg, reason, request_id: requestId } = {}, ...more] = lines;
    assert.deepEqual([msg, reason, requestId], ['call refused', expected, received['request_id']]);
    assert.deepEqual(more, []);
  }
});

test('compressed messages are not inflated', async (t) => {
  const send = (encoding: string, flags: number, bytes: Uint8Array) => {
    const stream = call(open(t, shared), checkPath, { 'grpc-encoding': encoding });
    stream.end(grpcFrame(bytes, { flags }));
    return endOf(stream);
  };
  assert.equal(await send('gzip', 1, gzipSync(Buffer.alloc(0))), unimplemented);
  assert.equal(await send('gzip', 0, Buffer.alloc(0)), ok);
  assert.equal(await send('identity', 0, Buffer.alloc(0)), ok);
});

test('a malformed deadline is refused as a mistake of the caller', async (t) => {
  const session = open(t, shared);
  const send = (path: string, timeout: string) => trailersOf(emptyCall(session, path, { 'grpc-timeout': timeout }));
  for (const path of [checkPath, readMeterPath, streamMetersPath])
    for (const timeout of ['', '5', 'S', '5s', '-5S', '5 S', '123456789S', '1.5S', '5S, 6S', '5\u00fcS']) {
      const { 'grpc-status': status, 'grpc-message': message } = await send(path, timeout);
      assert.equal(status, invalidArgument, `${path} ${timeout}`);
      assert.match(decodeURIComponent(String(message)), /^grpc-timeout is ".*", want 1 to 8 digits/);
    }
  // Each unit.
  for (const timeout of ['1H', '1M', '60S', '60000m', '60000000u'])
    assert.equal((await send(checkPath, timeout))['grpc-status'], ok, timeout);
  // A tenth of a second, in which a busy machine may not answer.
  await eventually(async () => (await send(checkPath, '99999999n'))['grpc-status'] === ok);
  // More than a timer takes, which would end the call at once.
  for (const timeout of ['99999999H', '3600000S']) {
    const stream = call(session, checkPath, { 'grpc-timeout': timeout });
    const ended = endOf(stream);
    await sleep(20);
    stream.end(grpcFrame(Buffer.alloc(0)));
    assert.equal(await ended, ok, timeout);
  }
});

test('an answer that nobody takes is dropped', async (t) => {
  const { log, entries } = collectLog();
  const ended: string[] = [];
  const callEnded: ServeOptions['callEnded'] = ({ method, code }) => ended.push(`/${method} ${code}`);
  const address = await serveReadings(t, { log, maxDeadlineMs: 200, callEnded });
  const session = open(t, address, { initialWindowSize: 0 });
  await once(session, 'remoteSettings');
  const paths = [checkPath, streamMetersPath];
  const streams = paths.map((path) => call(session, path, key).resume());
  const [check] = streams;
  for (const stream of streams) stream.write(grpcFrame(Buffer.alloc(0)));
  check?.end();
  await Promise.all(streams.map((stream) => once(stream, 'close')));
  for (const { rstCode } of streams) assert.equal(rstCode, constants.NGHTTP2_CANCEL);
  const refused = entries.filter(({ msg }) => msg === 'call refused');
  // Their caller had not gone.
  const expected = paths.map((path) => `${path} DEADLINE`);
  assert.deepEqual(refused.map(({ method, reason }) => `${String(method)} ${String(reason)}`).sort(), expected);
  assert.deepEqual(ended, [`${streamMetersPath} DEADLINE_EXCEEDED`]);
});

test('an answer of which a byte is taken now and then is dropped too', withinMs, async (t) => {
  const unreadBytes = createFairBudget(2 * mebibyte);
  const address = await serveGuarded(t, { unreadBytes, takeAnswerMs: 500 }, (stream) => {
    stream.respond();
    stream.write(Buffer.alloc(mebibyte));
  });
  const session = open(t, address, { initialWindowSize: 1 });
  await once(session, 'remoteSettings');
  const stream = call(session, readMeterPath);
  let taken = 0;
  stream.on('data', (chunk: Buffer) => (taken += chunk.length));
  await once(stream, 'close');
  assert.equal(stream.rstCode, constants.NGHTTP2_CANCEL);
  assert.ok(taken > 1, `${taken} were taken`);
  await eventually(() => unreadBytes.taken === 0);
});

test('an answer that nobody takes is dropped beside others that are taken', withinMs, async (t) => {
  const address = await serveGuarded(t, { takeAnswerMs: 500 }, (stream, headers) => {
    stream.respond();
    stream.write(Buffer.alloc(headers[':path'] === readMeterPath ? 100_000 : 10));
    stream.end();
  });
  const session = open(t, address, { initialWindowSize: 10 });
  await once(session, 'remoteSettings');
  const untaken = call(session, readMeterPath).pause();
  while (!untaken.closed) {
    const taken = call(session, checkPath).resume();
    taken.end();
    await once(taken, 'close');
    await sleep(50);
  }
  assert.equal(untaken.rstCode, constants.NGHTTP2_CANCEL);
});

test('each answer of a stream may take its time once those before it are taken', withinMs, async (t) => {
  const takeAnswerMs = 1_500;
  const [count, size] = [10, 2 ** 16];
  const address = await serveGuarded(t, { takeAnswerMs }, (stream) => {
    stream.respond();
    for (let sent = 0; sent < count; sent += 1) stream.write(Buffer.alloc(size));
    stream.end();
  });
  const stream = call(open(t, address), streamMetersPath);
  stream.end();
  const began = performance.now();
  let taken = 0;
  stream.on('data', (chunk: Buffer) => {
    taken += chunk.length;
    stream.pause();
    setTimeout(() => stream.resume(), (3 * takeAnswerMs * chunk.length) / (count * size));
  });
  await once(stream, 'close');
  assert.equal(taken, count * size);
  assert.ok(performance.now() - began > 2 * takeAnswerMs);
});

test('headers that nobody reads do not reach grpc-js, where they would stay as long as their call', async (t) => {
  const seen = deferred<IncomingHttpHeaders>();
  const address = await serveGuarded(t, {}, (stream, headers) => {
    seen.resolve(headers);
    stream.respond({}, { endStream: true });
  });
  const read = { apikey: 'k', traceparent: 't', 'x-forwarded-for': 'a', 'x-request-id': 'r', 'grpc-timeout': '1S' };
  const others = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`x-${n}`, 'a']));
  emptyCall(open(t, address), readMeterPath, { ...others, ...read });
  const expected = [':authority', ':method', ':path', 'content-type', ...Object.keys(read)];
  assert.deepEqual(Object.keys(await seen.promise).sort(), expected.sort());
});

test('headers that are no metadata are not written to stderr', async (t) => {
  const written: unknown[] = [];
  t.mock.method(console, 'error', (...texts: unknown[]) => void written.push(...texts));
  const session = open(t, shared);
  for (const headers of [{ apikey: `${key.apikey}\u00fc` }, { 'secret!': 'hunter2' }]) {
    assert.equal(await endOf(emptyCall(session, readMeterPath, headers)), unauthenticated);
  }
  assert.deepEqual(written, []);
});
