import { countProcessors } from '../runtime/count-processors.js';
import { toConnectAddress, type Listener } from './launch-settings.js';

type Environment = Readonly<NodeJS.ProcessEnv>;

const MiB = 2 ** 20;

/** Environment of the core: what the user set wins, where it is not empty. */
export function coreEnvironment(env: Environment, { port }: Listener): NodeJS.ProcessEnv {
  const defaults = Object.entries({
    // sharp decodes on libuv's pool, which all inference workers share with the store's file access;
    // with its default of four threads one slow disk write could hold up decoding. Read by Node.js
    // when it starts, so that it cannot be set from inside.
    UV_THREADPOOL_SIZE: String(Math.max(4, 2 * countProcessors())),
    // glibc keeps a heap for each thread and does not give its pages back; picture buffers come and
    // go in many threads, and with two heaps memory stays near what is in use.
    MALLOC_ARENA_MAX: '2',
    // glibc maps a block of memory of its own where it is this large, and gives it back when it is
    // freed. Left to itself it raises the limit to the largest block that was freed, and decoded
    // pictures leave holes in its heaps that it keeps: 60 MB more.
    MALLOC_MMAP_THRESHOLD_: String(2 * MiB),
    // Would be 128 KiB with a fixed threshold, and memory given back between two pictures.
    MALLOC_TRIM_THRESHOLD_: String(64 * MiB),
  });
  return {
    ...env,
    ...Object.fromEntries(defaults.filter(([name]) => !env[name])),
    CORE_PORT: String(port),
  };
}

/** Environment of the facade: it looks for the core that was started beside it. */
export function facadeEnvironment(
  env: Environment,
  { port }: Listener,
  core: Listener,
): NodeJS.ProcessEnv {
  return {
    ...env,
    REST_CORE_ADDRESS: env['REST_CORE_ADDRESS'] || toConnectAddress(core),
    REST_PORT: String(port),
  };
}
