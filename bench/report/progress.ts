import type { Sample } from '../measure/records.js';

interface Progress {
  readonly say: (line: string) => void;
  readonly count: (sample: Sample) => void;
}

/**
 * Tells how far the run is, on a line that is written over where that can be done.
 *
 * @param maxMs the run ends by then
 */
export function createProgress(stream: NodeJS.WriteStream, maxMs: number): Progress {
  const startedAt = performance.now();
  let isOpen = false;
  return {
    say(line) {
      stream.write(`${isOpen ? '\n' : ''}${line}\n`);
      isOpen = false;
    },
    count({ round, system, set, concurrency, throughput, failed, failure }) {
      const elapsed = (performance.now() - startedAt) / 1000;
      const line = `${elapsed.toFixed(0)} of at most ${(maxMs / 1000).toFixed(0)} s, round ${round + 1}: ${system} ${set} x${concurrency} ${throughput.toFixed(1)}/s`;
      if (stream.isTTY) {
        stream.write(`\r${line.slice(0, stream.columns - 1).padEnd(stream.columns - 1)}`);
        isOpen = true;
      } else {
        stream.write(`${line}\n`);
      }
      if (failure !== undefined) this.say(`${failed} failed, the first: ${failure}`);
    },
  };
}
