import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from '../../bench/load/messages.js';
import { grpcFrame } from '../helpers/net/grpc-frame.js';
import type { Line } from './lines.js';
import type { Protocol, Stage } from './stage.js';

const callers = 40;
/** So many have to wait before all go away. */
const leastWaiting = 10;
const freedMs = 1_000;
const giveUpMs = 30_000;

/** Callers fill the queue and go away together; the core's metrics tell what becomes of their places. */
export async function measureDisconnect(stage: Stage, protocol: Protocol): Promise<Line[]> {
  const waiting = () => stage.readMetric('imageanalysis_queue_depth');
  const busy = () => stage.readMetric('imageanalysis_workers_busy');
  const begun = () => stage.readMetric('imageanalysis_queue_wait_seconds_count');
  const workers = await stage.readMetric('imageanalysis_workers');

  const leave = await send(await stage.target(protocol, stage.keys[0]));
  await until(async () => (await waiting()) >= leastWaiting);
  const [waited, begunBefore] = [await waiting(), await begun()];
  const leftAt = performance.now();
  leave();
  await until(async () => (await waiting()) === 0);
  const emptyMs = performance.now() - leftAt;
  await until(async () => (await busy()) === 0);
  const idleMs = performance.now() - leftAt;
  const begunAfter = (await begun()) - begunBefore;
  return [
    {
      what: `${protocol}: places free again`,
      measured: `${waited} of ${callers} waited, gone after ${emptyMs.toFixed(0)} ms`,
      asked: `within ${freedMs} ms`,
      isMet: waited >= leastWaiting && emptyMs <= freedMs,
    },
    {
      what: `${protocol}: begun all the same`,
      measured: `${begunAfter} of ${waited}, idle after ${idleMs.toFixed(0)} ms`,
      // A worker that ended its picture in the meantime had taken the next one.
      asked: `at most 2 a worker (${2 * workers})`,
      isMet: waited >= leastWaiting && begunAfter <= 2 * workers,
    },
  ];
}

/** @returns what makes all callers go away. */
async function send(target: Target): Promise<() => void> {
  if (target.kind === 'http') {
    const body = await readFile(target.bodies[0] ?? '');
    const requests = Array.from({ length: callers }, () => {
      const outgoing = request(target.url, {
        method: 'POST',
        agent: false,
        headers: { ...target.headers, 'content-length': body.length },
      });
      outgoing.on('error', () => undefined);
      outgoing.on('response', (response) => response.resume());
      outgoing.end(body);
      return outgoing;
    });
    return () => requests.forEach((outgoing) => outgoing.destroy());
  }
  const message = grpcFrame(await readFile(target.messages[0] ?? ''));
  const session = connect(`http://${target.address}`);
  session.on('error', () => undefined);
  for (let i = 0; i < callers; i += 1) {
    const stream = session.request({
      ':method': 'POST',
      ':path': target.path,
      'content-type': 'application/grpc',
      te: 'trailers',
      apikey: target.apiKey,
    });
    stream.on('error', () => undefined);
    stream.resume();
    stream.end(message);
  }
  return () => session.destroy();
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + giveUpMs;
  while (performance.now() < giveUpAt && !(await holds())) await sleep(5);
}
