import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/**
 * Milliseconds that each call took the core since this was last asked, from its message being there to its
 * answer: all of it but gRPC.
 */
export type WorkTimes = () => number[];

/** Reads them from a core's log. */
export function readWorkTimes(log: Readable): WorkTimes {
  let times: number[] = [];
  createInterface({ input: log }).on('line', (line) => {
    const { msg, duration_ms: ms } = JSON.parse(line) as { msg?: string; duration_ms?: number };
    if (msg === 'call answered' && ms !== undefined) times.push(ms);
  });
  return () => {
    const taken = times;
    times = [];
    return taken;
  };
}
