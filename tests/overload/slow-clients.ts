import { setMaxListeners } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { quantile } from '../../bench/measure/statistics.js';
import { maxUnanswered } from '../../runtime/limits/limit-pipelining.js';
import { grpcFrame } from '../helpers/net/grpc-frame.js';
import { measureNormal } from './flood.js';
import { type Line, spread } from './lines.js';
import { requestTimeoutMs, type Stage } from './stage.js';

/** Of each kind. */
const usualCount = 20;
/** Those who do not read: each has the service fill buffers of megabytes before its time begins. */
const readerCount = 5;
const dripMs = 200;
/** Time-outs are looked after once a second, and this machine may be busy. */
const slackMs = 3_000;
/** Who is cut sooner was never let in. */
const leastMs = 1_000;
/** What the service does not cut in this time it does not cut. */
const giveUpMs = 60_000;

/** A caller that takes its time for ever; the promise is kept when the service ends its connection. */
interface SlowClient {
  readonly what: string;
  readonly count?: number;
  /** How long the service bears it. */
  readonly limitMs: number;
  readonly dawdle: (signal: AbortSignal) => Promise<void>;
}

/** Slow clients of every kind at once, and a normal one beside them. */
export async function measureSlowClients(stage: Stage): Promise<Line[]> {
  const { service, keys } = stage;
  const target = await stage.target('REST', keys[1]);
  const aloneMs = await measureNormal(stage, target);
  const clients = slowClients(
    Number(new URL(service.restUrl).port),
    Number(service.grpcAddress.split(':').at(-1)),
    keys[0],
  );
  const cutting = clients.map(measureCut);
  const order = { target, concurrency: 1, windowMs: requestTimeoutMs, minRequests: 10 };
  const normal = await stage.other.run(order);
  const beside: Line = {
    what: 'a normal request beside them, ms',
    measured: `${normal.latenciesMs.length} answered: ${spread(normal.latenciesMs)}, alone ${aloneMs.toFixed(0)}`,
    asked: 'all answered, p50 <= 2 x alone',
    isMet: normal.refused + normal.failed === 0 && quantile(normal.latenciesMs, 0.5) <= 2 * aloneMs,
  };
  return [...(await Promise.all(cutting)), beside];
}

async function measureCut({ what, count = usualCount, limitMs, dawdle }: SlowClient): Promise<Line> {
  const startedAt = performance.now();
  const giveUp = AbortSignal.timeout(giveUpMs);
  setMaxListeners(0, giveUp);
  const timesMs = await Promise.all(
    Array.from({ length: count }, async () => {
      await dawdle(giveUp);
      return performance.now() - startedAt;
    }),
  );
  const cut = timesMs.filter((ms) => ms < giveUpMs);
  const [firstMs, lastMs] = [Math.min(...timesMs), Math.max(...timesMs)];
  return {
    what: `${count} that ${what}`,
    measured: `${cut.length} cut, after ${(firstMs / 1_000).toFixed(1)} to ${(lastMs / 1_000).toFixed(1)} s`,
    asked: `all after 1 s, within ${((limitMs + slackMs) / 1_000).toFixed(0)} s`,
    isMet: cut.length === count && firstMs >= leastMs && lastMs <= limitMs + slackMs,
  };
}

function slowClients(restPort: number, grpcPort: number, apiKey: string): SlowClient[] {
  const upload = (path: string, type: string) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\napikey: ${apiKey}\r\ncontent-type: ${type}\r\ncontent-length: 50000\r\n\r\n`;
  const multipart = upload('/face_detect_single', 'multipart/form-data; boundary=b');
  const json = upload('/meter-number-ocr/base64', 'application/json');
  // More than the buffers of both sides hold, and fewer than are cut for being too many at once.
  const manyAnswers = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(maxUnanswered / 2);
  const drainMs = 2_000;
  const takeAnswerMs = 5_000;
  return [
    {
      what: 'drip their headers',
      limitMs: requestTimeoutMs,
      dawdle: drip(restPort, 'GET /livez HTTP/1.1\r\nx-slow: '),
    },
    { what: 'drip their form', limitMs: requestTimeoutMs + drainMs, dawdle: drip(restPort, `${multipart}--b\r\n`) },
    { what: 'drip their JSON', limitMs: requestTimeoutMs + drainMs, dawdle: drip(restPort, `${json}{"image": "`) },
    {
      what: 'never read their answers',
      count: readerCount,
      limitMs: requestTimeoutMs + takeAnswerMs,
      dawdle: read(restPort, manyAnswers, 0),
    },
    {
      what: 'read their answers in drops',
      count: readerCount,
      limitMs: requestTimeoutMs + takeAnswerMs,
      dawdle: read(restPort, manyAnswers, 256),
    },
    { what: 'drip their gRPC message', limitMs: requestTimeoutMs, dawdle: dripGrpc(grpcPort, apiKey) },
    { what: 'say nothing on the gRPC port', limitMs: 40_000, dawdle: drip(grpcPort, '', '') },
  ];
}

/** Resolves when the other side has ended the connection, or at the signal. */
function ended(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => socket.destroy();
    signal.addEventListener('abort', stop);
    // To be reset is to be cut.
    socket.on('error', () => undefined);
    socket.on('end', stop);
    socket.on('close', () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
  });
}

const drip = (port: number, begin: string, drop = 'a') =>
  async function (signal: AbortSignal): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    socket.resume();
    if (begin !== '') socket.write(begin);
    const timer = setInterval(() => void (drop !== '' && socket.write(drop)), dripMs);
    await ended(socket, signal);
    clearInterval(timer);
  };

/** Asks for much and takes so many bytes at a time of it. */
const read = (port: number, request: string, bytes: number) =>
  async function (signal: AbortSignal): Promise<void> {
    const socket = connect({
      port,
      host: '127.0.0.1',
      // To return false is to read no more for now.
      onread: { buffer: Buffer.alloc(bytes || 1), callback: () => false },
    });
    socket.write(request);
    const timer = setInterval(() => void (bytes > 0 && socket.resume()), dripMs);
    // Who does not read is told of the end by what it writes.
    const prober = setInterval(() => socket.write('\r\n'), dripMs);
    await ended(socket, signal);
    clearInterval(timer);
    clearInterval(prober);
  };

const dripGrpc = (port: number, apiKey: string) =>
  async function (signal: AbortSignal): Promise<void> {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.on('error', () => undefined);
    const stream = session.request(
      {
        ':method': 'POST',
        ':path': '/imageanalysis.v1.MeterReadingService/ReadMeter',
        'content-type': 'application/grpc',
        te: 'trailers',
        apikey: apiKey,
      },
      { endStream: false },
    );
    stream.write(grpcFrame(Buffer.alloc(0), { length: 50_000 }));
    const timer = setInterval(() => void (stream.writable && stream.write('a')), dripMs);
    await new Promise<void>((resolve) => {
      stream.on('error', () => undefined);
      stream.on('response', resolve); // with the status: what still comes is dropped
      stream.on('close', resolve);
      stream.resume();
      signal.addEventListener('abort', () => stream.destroy());
    });
    clearInterval(timer);
    session.destroy();
  };
