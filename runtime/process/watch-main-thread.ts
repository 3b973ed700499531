import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';

export interface Watched {
  readonly service: string;
  readonly everyMs: number;
  /** How often the main thread beats: a number in shared memory. */
  readonly beats: Int32Array;
}

/**
 * Has another thread kill the process once this one has stood still for half a minute, so that whatever runs it starts
 * it anew: V8 can wait for itself. Seen once in hours of load, with Node.js 20: a collection that began while a prototype
 * was set, as for every AbortSignal, waited for the compiler's thread, which waited to read that prototype's maps.
 * Takes 8 MB. No longer once a debugger can attach (SIGUSR1), in which it may stand still.
 */
export function watchMainThread(service: string, log: Pick<Logger, 'error'>, everyMs = 1_000): void {
  if (inspectorUrl() !== undefined) return;
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const workerData: Watched = { service, everyMs, beats };
  const watchdog = new Worker(new URL('./watchdog-main.js', import.meta.url), {
    name: 'watchdog',
    workerData,
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
  });
  watchdog.on('error', (err) => log.error({ err }, 'the main thread is not watched')).unref();
  setInterval(() => {
    Atomics.add(beats, 0, 1);
    if (inspectorUrl() !== undefined) void watchdog.terminate();
  }, everyMs).unref();
}
