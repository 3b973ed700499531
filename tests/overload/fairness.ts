import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadResult } from '../../bench/load/messages.js';
import { quantile } from '../../bench/measure/statistics.js';
import { measureCapacity, measureNormal, times } from './flood.js';
import { type Line, spread } from './lines.js';
import type { Protocol, Stage } from './stage.js';

/** The flood has filled the queue by then. */
const settleMs = 1_000;
/** One picture of the flooder before one's own, and a share of the cores. */
const slowestFactor = 3;
const fairShare = 0.4;

/** Of the answers while both were sending: before and after the flood had the service for itself. */
function shareOf({ answeredAtMs: own }: LoadResult, { answeredAtMs: others }: LoadResult): number {
  const [first = 0, last = 0] = [own.at(0), own.at(-1)];
  const meanwhile = others.filter((at) => at >= first && at <= last);
  return own.length / (own.length + meanwhile.length);
}

/** One key floods with ten times the capacity; another sends one request at a time, then many. */
export async function measureFairness(stage: Stage, protocol: Protocol): Promise<Line[]> {
  const flooded = await stage.target(protocol, stage.keys[0]);
  const target = await stage.target(protocol, stage.keys[1]);
  const capacity = await measureCapacity(stage, flooded);
  const aloneMs = await measureNormal(stage, target);
  const { floodMs: windowMs } = stage;
  const beside = async (concurrency: number) => {
    const flooding = stage.flooder.run({
      target: flooded,
      ratePerSecond: capacity * times,
      windowMs: windowMs + settleMs,
    });
    await sleep(settleMs);
    const other = await stage.other.run({ target, concurrency, windowMs, minRequests: 1 });
    return { flood: await flooding, other };
  };

  const { other: modest } = await beside(1);
  const { flood, other: busy } = await beside(8);
  const share = shareOf(busy, flood);
  const p50 = quantile(modest.latenciesMs, 0.5);
  return [
    {
      what: 'one at a time: refused or failed',
      measured: `${modest.refused + modest.failed} of ${modest.latenciesMs.length + modest.refused + modest.failed}`,
      asked: '0',
      isMet: modest.latenciesMs.length > 0 && modest.refused + modest.failed === 0,
    },
    {
      what: 'one at a time: ms p50 / p99 / max',
      measured: `${spread(modest.latenciesMs)}, without the flood ${aloneMs.toFixed(0)}`,
      asked: `p50 <= ${slowestFactor} x as without`,
      isMet: p50 <= slowestFactor * aloneMs,
    },
    {
      what: 'eight at a time: share of the answers',
      measured: `${(share * 100).toFixed(0)} %, ${busy.refused} refused`,
      asked: `>= ${fairShare * 100} %`,
      isMet: share >= fairShare,
    },
  ];
}
