import { getHeapStatistics } from 'node:v8';
import type { Logger } from 'pino';
import { collectGarbage } from '../node-patches/v8-flags.js';

const everyMs = 30_000;
/** Bytes of objects, texts and buffers. An idle process has 30 MB; the rest waits for V8 to need memory. */
const minUsed = 96 * 2 ** 20;

/**
 * Gives memory back to the system twice a minute, which otherwise stays with an idle process: V8 collects garbage when
 * it needs memory, and glibc returns what lies at the end of its heaps. A core kept 660 MB after 64 photos of 12
 * megapixels at once, in place of 300; a facade 1.3 GB after a flood of headers. Takes 1 to 60 ms of this thread, and more
 * where much is in use: that is not looked through again until there is twice as much.
 */
export function giveBackMemory(log: Pick<Logger, 'info'>, readHeap = getHeapStatistics): void {
  let trim: (() => void) | undefined;
  loadTrim().then(
    (loaded) => (trim = loaded),
    (err: unknown) => log.info({ err }, 'freed memory stays with the process: malloc_trim of glibc is missing'),
  );
  const used = (): number => {
    // `process.memoryUsage` has both too, and throws where there is no /proc.
    const heap = readHeap();
    return heap.used_heap_size + heap.external_memory;
  };
  let limit = minUsed;
  const giveBack = () => {
    // V8 frees what it collects in another thread: malloc has it next time.
    trim?.();
    if (used() > limit) {
      collectGarbage();
      limit = Infinity;
    }
    limit = Math.max(minUsed, Math.min(limit, 2 * used()));
  };
  setInterval(giveBack, everyMs).unref();
}

/** glibc's `malloc_trim`, to which Node.js has no way. @throws Error with another C library */
export async function loadTrim(): Promise<() => void> {
  const { default: koffi } = await import('koffi');
  const trim = koffi.load('libc.so.6').func('int malloc_trim(size_t)');
  return () => void trim(0);
}
