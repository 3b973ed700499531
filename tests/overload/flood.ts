import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from '../../bench/load/messages.js';
import { median, quantile } from '../../bench/measure/statistics.js';
import { watchHealth } from './health-watch.js';
import { type Line, spread } from './lines.js';
import { type Protocol, requestTimeoutMs, type Stage } from './stage.js';

/** The capacity, so often. */
export const times = 10;
/** A refusal comes sooner than this. */
const refusalMs = 50;
const recoveryMs = 1_000;
/** An answer is normal again below so many times what it took before. */
const normalFactor = 3;
const giveUpMs = 30_000;
/** Code is compiled while it runs for the first time; the flood that is judged is not a process's first. */
const firstFloodMs = 2_000;

const isRefusedWell: Readonly<Record<Protocol, string>> = {
  REST: '429 with Retry-After',
  gRPC: 'RESOURCE_EXHAUSTED with RetryInfo',
};

/** Requests at ten times the rate that the service can answer, evenly, with one key. */
export async function measureFlood(stage: Stage, protocol: Protocol): Promise<Line[]> {
  const target = await stage.target(protocol, stage.keys[0]);
  const otherTarget = await stage.target(protocol, stage.keys[1]);
  const capacity = await measureCapacity(stage, target);
  const normalMs = await measureNormal(stage, target);
  const ratePerSecond = capacity * times;
  const first = await stage.flooder.run({ target, ratePerSecond, windowMs: firstFloodMs });

  const health = watchHealth(stage.service);
  const startedAt = performance.now();
  const { floodMs: windowMs } = stage;
  const flooding = stage.flooder.run({ target, ratePerSecond, windowMs });
  await sleep(windowMs);
  const limitMs = normalMs * normalFactor;
  const otherAgainAt = await waitForNormal(stage, otherTarget, limitMs);
  const flood = await flooding;
  const sameAgainAt = await waitForNormal(stage, target, limitMs);
  const healthLine = await health.stop();
  const recovery = (what: string, againAt: number, overMs: number): Line => {
    const tookMs = Math.max(0, againAt - startedAt - overMs);
    return { what, measured: `${tookMs.toFixed(0)} ms`, asked: `<= ${recoveryMs} ms`, isMet: tookMs <= recoveryMs };
  };

  const { latenciesMs, refusalsMs, refusals, refused, failed, unanswered } = flood;
  const sent = latenciesMs.length + refused + failed + unanswered;
  const sentRate = (sent / flood.sendingMs) * 1_000;
  const answeredRate = (latenciesMs.length / flood.elapsedMs) * 1_000;
  const slowestMs = quantile(latenciesMs, 1);
  return [
    { what: 'capacity', measured: `${capacity.toFixed(1)}/s, alone ${normalMs.toFixed(0)} ms` },
    {
      what: 'sent',
      measured: `${sent}, ${sentRate.toFixed(0)}/s, ${(sentRate / capacity).toFixed(1)} x capacity`,
      asked: `${times} x capacity`,
      isMet: sentRate >= ratePerSecond * 0.9,
    },
    {
      what: 'refused',
      measured: Object.entries(refusals)
        .map(([how, count]) => `${count} ${how}`)
        .join(', '),
      asked: `all ${isRefusedWell[protocol]}`,
      isMet: refused > 0 && refusals[isRefusedWell[protocol]] === refused,
    },
    {
      what: 'refused after, ms p50 / p99 / max',
      measured: spread(refusalsMs),
      asked: `p99 < ${refusalMs} ms`,
      isMet: quantile(refusalsMs, 0.99) < refusalMs,
    },
    { what: `in the ${firstFloodMs / 1_000} s of flood before, the first`, measured: spread(first.refusalsMs) },
    {
      what: 'accepted after, ms p50 / p99 / max',
      measured: `${latenciesMs.length}: ${spread(latenciesMs)}`,
      asked: `all within ${requestTimeoutMs} ms`,
      isMet: slowestMs < requestTimeoutMs,
    },
    {
      what: 'neither answered nor refused',
      measured: `${failed + unanswered} ${flood.failure?.slice(0, 40) ?? ''}`,
      asked: '0',
      isMet: failed + unanswered === 0,
    },
    {
      what: 'answered under the flood',
      measured: `${answeredRate.toFixed(1)}/s, ${((answeredRate / capacity) * 100).toFixed(0)} % of capacity`,
      asked: '>= 80 %',
      isMet: answeredRate >= capacity * 0.8,
    },
    healthLine,
    recovery('normal again after its last was sent: another key', otherAgainAt, flood.sendingMs),
    recovery('after its last was answered: the same key', sameAgainAt, flood.elapsedMs),
  ];
}

/** Requests a second, where as many are under way as keep the workers busy. */
export async function measureCapacity({ flooder, floodMs }: Stage, target: Target) {
  const order = { target, concurrency: 8, minRequests: 20 };
  await flooder.run({ ...order, windowMs: 1_000 }); // warm
  const { latenciesMs, elapsedMs } = await flooder.run({ ...order, windowMs: floodMs });
  return (latenciesMs.length / elapsedMs) * 1_000;
}

/** Milliseconds that one request takes at a time. */
export async function measureNormal({ other }: Stage, target: Target): Promise<number> {
  const order = { target, concurrency: 1, windowMs: 1_000, minRequests: 10 };
  return median((await other.run(order)).latenciesMs);
}

/** @returns the time when a request was answered as fast as that. */
async function waitForNormal({ other }: Stage, target: Target, ms: number): Promise<number> {
  const giveUpAt = performance.now() + giveUpMs;
  while (performance.now() < giveUpAt) {
    const order = { target, concurrency: 1, windowMs: 0, minRequests: 1 };
    const [tookMs = Infinity] = (await other.run(order)).latenciesMs;
    if (tookMs <= ms) return performance.now();
  }
  return Infinity;
}
