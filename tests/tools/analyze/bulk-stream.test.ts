import assert from 'node:assert/strict';
import fileSystem, { rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import timers from 'node:timers/promises';
import { Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import {
  FaceDetectionServiceService,
  type StreamDetectFacesRequest,
  type StreamDetectFacesResponse,
} from '../../../generated/imageanalysis/v1/face_detection.js';
import { refuse } from '../../../runtime/errors/refusal.js';
import { toRpcStatus } from '../../../runtime/errors/rpc-status.js';
import { analyseAll, type BulkOptions } from '../../../tools/analyze/bulk-stream.js';
import { readCommandLine } from '../../../tools/analyze/command-line.js';
import type { Line } from '../../../tools/analyze/features.js';
import { deferred } from '../../helpers/deferred.js';
import { createAuthority } from '../../helpers/net/certificates.js';
import { bindServer } from '../../helpers/net/grpc.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

type Stream = ServerDuplexStream<StreamDetectFacesRequest, StreamDetectFacesResponse>;

/** A core whose streams are scripted. @returns its address */
async function startStreamServer(
  t: TestContext,
  serve: (stream: Stream) => void,
  identity = ServerCredentials.createInsecure(),
): Promise<string> {
  const server = new Server();
  server.addService(FaceDetectionServiceService, { streamDetectFaces: serve });
  return `127.0.0.1:${await bindServer(t, server, { credentials: identity })}`;
}

/** Takes each picture of a stream so, or answers it, and ends the stream behind its client. */
function answerEach(stream: Stream, take = (id: string): unknown => stream.write(answer(id))): void {
  stream.on('data', ({ id }: StreamDetectFacesRequest) => take(id));
  stream.on('end', () => stream.end());
}

const answer = (id: string): StreamDetectFacesResponse => ({
  id,
  result: { $case: 'response', value: { faces: [], omittedFaces: 0, details: undefined } },
});

/** As the core says that a picture may come again. */
const refusedForNow = (id: string, seconds: number): StreamDetectFacesResponse => ({
  id,
  result: {
    $case: 'error',
    value: toRpcStatus(refuse('RATE_LIMITED', 'apikey has sent enough', { retryAfterSeconds: seconds })),
  },
});

const maxImageBytes = 1_000;

const gone = { code: status.UNAVAILABLE, details: 'gone' };

/** As many names of one small file. */
async function manyFiles(t: TestContext, count: number): Promise<string[]> {
  const folder = await createTemporaryFolder(t);
  const names = Array.from({ length: count }, (_, i) => path.join(folder, `${i}.jpg`));
  for (const name of names) await writeFile(name, 'x');
  return names;
}

/** Runs over files, and by default collects their lines. @returns the files of these, in their order */
async function analyse(
  files: Iterable<string, undefined>,
  address: string,
  options: Partial<BulkOptions> & { write?: (line: Line) => Promise<void> } = {},
): Promise<string[]> {
  const lines: Line[] = [];
  const { write = (line: Line) => Promise.resolve(void lines.push(line)), ...more } = options;
  await analyseAll(files, write, {
    address,
    apiKey: 'k',
    feature: 'faces',
    company: '',
    minScore: undefined,
    landmarks: false,
    inFlight: 4,
    maxImageBytes,
    signal: new AbortController().signal,
    onRetry: () => {},
    ...more,
  });
  assert.ok(lines.every(({ error }) => error === undefined));
  return lines.map(({ file }) => file);
}

test('a lost stream is taken up again, without losing or doubling a picture', async (t) => {
  const inFlight = 10;
  let streams = 0;
  const address = await startStreamServer(t, (stream) => {
    streams += 1;
    const [isFirst, isLast] = [streams === 1, streams === 7];
    let taken = 0;
    answerEach(stream, (id) => {
      taken += 1;
      // The first has more than the next ones send again before they are lost, too.
      if (isFirst && taken < inFlight) return undefined;
      if (isLast || (!isFirst && taken <= 3)) return stream.write(answer(id));
      stream.emit('error', gone);
      return stream.removeAllListeners('data');
    });
  });
  const names = await manyFiles(t, 20);
  const retries: string[] = [];
  const onRetry = (reason: string) => retries.push(reason);
  assert.deepEqual((await analyse(names, address, { inFlight, onRetry })).sort(), names.sort());
  // More breaks than a run survives that gets no answer between them.
  assert.equal(streams, 7);
  assert.equal(retries.length, 6);
});

test('a run that nobody answers gives up, after longer and longer delays', async (t) => {
  const delays: unknown[] = [];
  t.mock.method(timers, 'setTimeout', (ms?: number) => Promise.resolve(delays.push(ms)));
  // For named imports too.
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const address = await startStreamServer(t, (stream) => stream.emit('error', gone));
  const onRetry = () => assert.ok(delays.length < 5);
  const files = await manyFiles(t, 1);
  await assert.rejects(analyse(files, address, { onRetry }), { message: 'gone' });
  assert.deepEqual(delays, [500, 1_000, 2_000, 4_000, 8_000]);
});

for (const why of [undefined, 'there is no such file'])
  test(`a picture that is being read when the stream is lost has one line: ${why ?? 'its answer'}`, async (t) => {
    const loss = deferred();
    let streams = 0;
    const address = await startStreamServer(t, (stream) => {
      streams += 1;
      answerEach(stream, (id) => {
        if (streams > 1) return stream.write(answer(id));
        stream.emit('error', gone);
        return loss.resolve();
      });
    });
    const [first = '', second = ''] = await manyFiles(t, 2);
    if (why) await rm(second);
    const { stat } = fileSystem;
    const statSlowly = async (file: string) => {
      if (file === second && streams < 2) {
        await loss.promise;
        // The client learns of it meanwhile.
        await timers.setTimeout(100);
      }
      return stat(file);
    };
    t.mock.method(fileSystem, 'stat', statSlowly as typeof stat);
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    const lines: unknown[] = [];
    const write = ({ file, error }: Line) => Promise.resolve(void lines.push([file, error?.message]));
    await analyse([first, second], address, { write });
    const expected = [
      [first, undefined],
      [second, why],
    ];
    // What cannot be read has its line before the new stream.
    assert.deepEqual(lines, why ? expected.reverse() : expected);
  });

test('pictures beyond the rate of the key are sent again when the service says', async (t) => {
  let streams = 0;
  let refusedAt = 0;
  let openedAt = 0;
  const address = await startStreamServer(t, (stream) => {
    streams += 1;
    openedAt = performance.now();
    let allowed = 3;
    answerEach(stream, (id) => {
      allowed -= 1;
      if (allowed < 0) refusedAt = performance.now();
      return stream.write(allowed < 0 ? refusedForNow(id, streams) : answer(id));
    });
  });
  const names = await manyFiles(t, 8);
  const retries: string[] = [];
  const onRetry = (reason: string) => retries.push(reason);
  assert.deepEqual((await analyse(names, address, { onRetry })).sort(), names.sort());
  assert.equal(streams, 3);
  assert.deepEqual(retries, ['apikey has sent enough', 'apikey has sent enough']);
  assert.ok(openedAt - refusedAt > 1_900, `asked again after ${openedAt - refusedAt} ms`);
});

test('a run that waits for the rate of its key can be stopped', { timeout: 20_000 }, async (t) => {
  const address = await startStreamServer(t, (stream) =>
    answerEach(stream, (id) => stream.write(refusedForNow(id, 60))),
  );
  const stop = new AbortController();
  const stopped = new Error('stopped');
  const onRetry = () => setImmediate(() => stop.abort(stopped));
  const files = await manyFiles(t, 2);
  await assert.rejects(analyse(files, address, { signal: stop.signal, onRetry }), stopped);
});

test('no more pictures are on their way than allowed, though the service is slow', async (t) => {
  const held: (() => void)[] = [];
  const address = await startStreamServer(t, (stream) => {
    stream.on('data', ({ id }: StreamDetectFacesRequest) => held.push(() => stream.write(answer(id))));
    stream.on('end', () => held.push(() => stream.end()));
  });
  const names = await manyFiles(t, 12);
  let asked = 0;
  let taken = 0;
  function* counted(): Generator<string, undefined> {
    for (const name of names) {
      asked += 1;
      assert.ok(asked - taken <= 4, `${asked} asked for, ${taken} done`);
      yield name;
    }
  }
  const timer = setInterval(() => held.splice(0).forEach((write) => write()), 10);
  t.after(() => clearInterval(timer));
  // A slow disk, which writes one line after the other.
  let written = Promise.resolve();
  const write = () =>
    (written = written.then(async () => {
      await timers.setTimeout(5);
      taken += 1;
    }));
  await analyse(counted(), address, { write });
  assert.equal(taken, 12);
});

test('a picture that cannot be read or is too large is not sent, and costs a line', async (t) => {
  const asked: string[] = [];
  const address = await startStreamServer(t, (stream) =>
    answerEach(stream, (id) => {
      asked.push(id);
      return stream.write(answer(id));
    }),
  );
  const [whole = '', large = '', missing = ''] = await manyFiles(t, 3);
  await writeFile(whole, 'x'.repeat(maxImageBytes));
  await writeFile(large, 'x'.repeat(maxImageBytes + 1));
  await rm(missing);
  const said = new Map<string, string | undefined>();
  const write = (line: Line) => Promise.resolve(void said.set(line.file, line.error?.message));
  await analyse([missing, large, whole], address, { write });
  assert.equal(asked.length, 1);
  assert.deepEqual(
    [missing, large, whole].map((file) => said.get(file)),
    ['there is no such file', 'the file has 1001 bytes, want at most 1000', undefined],
  );
  assert.equal(said.size, 3);
});

test('--tls-ca says whom to believe, and only that one, and --tls-cert who asks', async (t) => {
  const authority = await createAuthority(t);
  const stranger = await createAuthority(t);
  const { cert, key } = await authority.issue('server');
  const own = await authority.issue('client');
  const keys: unknown[] = [];
  const address = await startStreamServer(
    t,
    (stream) => {
      keys.push(stream.metadata.get('apikey')[0]);
      answerEach(stream);
    },
    ServerCredentials.createSsl(
      Buffer.from(authority.cert),
      [{ cert_chain: Buffer.from(cert), private_key: Buffer.from(key) }],
      true,
    ),
  );
  const [name = ''] = await manyFiles(t, 1);
  const run = async (target: string, tls: readonly string[], options: Parameters<typeof analyse>[2] = {}) => {
    const read = await readCommandLine(['--address', target, ...tls, name], { APIKEY: 'k' });
    return analyse([name], target, { ...read, ...options });
  };

  // It would try for minutes: a core that cannot be believed may be one that is being replaced.
  for (const [host, { certFile }, cause] of [
    ['localhost', stranger, 'certificate signature failure'],
    ['localhost', authority, 'tlsv13 alert certificate required'],
    [
      '127.1',
      authority,
      "Hostname/IP does not match certificate's altnames: Host: 127.1. is not in the cert's altnames: DNS:localhost, IP Address:127.0.0.1",
    ],
  ] as const) {
    const target = address.replace('127.0.0.1', host);
    const stop = new AbortController();
    const wary = run(target, ['--tls-ca', certFile], {
      signal: stop.signal,
      onRetry: (reason) => stop.abort(new Error(reason)),
    });
    await assert.rejects(
      wary,
      ({ message }: Error) => message.includes(`at ${target}, see`) && message.includes(cause),
    );
  }
  assert.deepEqual(keys, []);

  const identity = ['--tls-cert', own.certFile, '--tls-key', own.keyFile];
  const answered = run(address.replace('127.0.0.1', 'localhost'), ['--tls-ca', authority.certFile, ...identity]);
  assert.deepEqual(await answered, [name]);
  assert.deepEqual(keys, ['k']);
});

test('a proxy that does not let it through is named', async (t) => {
  process.env['grpc_proxy'] = 'http://127.0.0.1:1';
  t.after(() => delete process.env['grpc_proxy']);
  const stop = new AbortController();
  const onRetry = (reason: string) => stop.abort(new Error(reason));
  await assert.rejects(analyse(await manyFiles(t, 1), 'far:1', { signal: stop.signal, onRetry }), {
    message: /^cannot reach a core's gRPC port at far:1, see .* and http_proxy: /,
  });
});

test('a refused key ends the run at once', async (t) => {
  const refused = { code: status.UNAUTHENTICATED, details: 'The API key is not valid.' };
  const address = await startStreamServer(t, (stream) => stream.emit('error', refused));
  await assert.rejects(analyse(await manyFiles(t, 3), address), /The API key is not valid/);
});

test('a line that cannot be written ends the run, and its stream', { timeout: 20_000 }, async (t) => {
  const ended = deferred();
  const address = await startStreamServer(t, (stream) => {
    answerEach(stream);
    stream.on('cancelled', () => ended.resolve());
  });
  const full = new Error('ENOSPC: no space left on device');
  const write = () => Promise.reject(full);
  await assert.rejects(analyse(await manyFiles(t, 20), address, { write }), full);
  await ended.promise;
});
