import type { Logger } from 'pino';
import { collectGarbage } from '../node-patches/v8-flags.js';

const everyMs = 30_000;
/** Bytes of buffers, hardly any of which are in use at one moment: the rest waits for V8 to need memory. */
const maxBuffers = 64 * 2 ** 20;

/**
 * Gives memory back to the system twice a minute, which otherwise stays with an idle process: V8 collects garbage when
 * it needs memory, and glibc returns what lies at the end of its heaps. A core kept 660 MB after 64 photos of 12
 * megapixels at once, in place of 300. Takes 1 to 60 ms of this thread.
 */
export function giveBackMemory(host: NodeJS.Process, log: Pick<Logger, 'info'>): void {
  let trim: (() => void) | undefined;
  loadTrim().then(
    (loaded) => (trim = loaded),
    (err: unknown) => log.info({ err }, 'freed memory stays with the process: malloc_trim of glibc is missing'),
  );
  const giveBack = () => {
    // V8 frees what it collects in another thread: malloc has it next time.
    trim?.();
    if (host.memoryUsage().arrayBuffers > maxBuffers) collectGarbage();
  };
  setInterval(giveBack, everyMs).unref();
}

/** glibc's `malloc_trim`, to which Node.js has no way. @throws Error with another C library */
export async function loadTrim(): Promise<() => void> {
  const { default: koffi } = await import('koffi');
  const trim = koffi.load('libc.so.6').func('int malloc_trim(size_t)');
  return () => void trim(0);
}
