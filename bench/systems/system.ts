import type { LoadProcess } from '../load/load-process.js';
import type { LoadResult, Target } from '../load/messages.js';
import type { SetName } from '../pictures.js';
import type { WorkTimes } from './work-times.js';

/** What is measured: it can be kept busy with the pictures of a set. */
export interface System {
  /** Short, stable: a key in the figures. */
  readonly name: string;
  /** For the report. */
  readonly title: string;
  readonly sets: readonly SetName[];
  /** It takes seconds for a request, one at a time or one a core. */
  readonly isSlow?: boolean;
  /** Processes whose processor time and memory count, with all that they started. */
  readonly pids: readonly number[];
  /** Of its core, where that is known. */
  readonly takeWorkTimes?: WorkTimes | undefined;
  run(window: Window): Promise<WindowResult>;
  close(): Promise<void>;
}

/** One measurement. */
interface Window {
  readonly set: SetName;
  readonly concurrency: number;
  readonly windowMs: number;
  readonly minRequests: number;
}

export type WindowResult = Pick<LoadResult, 'latenciesMs' | 'refused' | 'failed' | 'elapsedMs' | 'failure' | 'sample'>;

/** More requests at a time would only wait, and make the windows of a slow system long. */
const slowConcurrency = 2;

/** A system behind a port, kept busy by the load process. */
export function networkSystem(
  load: LoadProcess,
  options: Omit<System, 'run' | 'close' | 'sets'> & {
    readonly targets: Partial<Record<SetName, Target>>;
    close(): Promise<void>;
  },
): System {
  const { targets, isSlow = false } = options;
  const maxConcurrency = isSlow ? slowConcurrency : Infinity;
  return {
    ...options,
    sets: Object.keys(targets) as SetName[],
    run({ set, concurrency, ...order }) {
      const target = targets[set];
      if (target === undefined) throw new Error(`${options.name} does not take ${set}`);
      return load.run({ target, ...order, concurrency: Math.min(concurrency, maxConcurrency) });
    },
  };
}
