import { countProcessors } from '../runtime/process/count-processors.js';
import { type Listener, toConnectAddress } from './launch-settings.js';

type Environment = Readonly<NodeJS.ProcessEnv>;

const MiB = 2 ** 20;

/** Environment of the core: what the user set wins, where it is not empty. */
export function coreEnvironment(env: Environment, { port }: Listener, admin?: Listener): NodeJS.ProcessEnv {
  const defaults = Object.entries({
    // sharp decodes on libuv's pool, which all inference workers share with the store's file access;
    // with its default of four threads, one slow disk write could hold up decoding. Node.js reads it
    // at startup, so the process cannot set it itself.
    UV_THREADPOOL_SIZE: String(Math.max(4, 2 * countProcessors())),
    // glibc keeps a heap per thread and does not return its pages. Picture buffers come and go in many
    // threads; with two heaps, memory stays close to what is in use.
    MALLOC_ARENA_MAX: '2',
    // glibc maps blocks of at least this size separately, and returns them when they are freed. By default it raises
    // the limit to the largest block ever freed, and decoded pictures then leave gaps in its heaps: 60 MB more.
    MALLOC_MMAP_THRESHOLD_: String(2 * MiB),
    // With a fixed threshold it would be 128 KiB, and memory would be returned between pictures.
    MALLOC_TRIM_THRESHOLD_: String(64 * MiB),
    // MB per half of V8's young generation, where the pieces of requests lie until it is collected: a small one is
    // collected more often, and keeps fewer of them.
    NODE_OPTIONS: '--max-semi-space-size=2',
  });
  return {
    ...env,
    ...Object.fromEntries(defaults.filter(([name]) => !env[name])),
    CORE_PORT: String(port),
    ...(admin && { CORE_ADMIN_PORT: String(admin.port) }),
  };
}

/** Environment of the facade: it connects to the core that was started with it, and needs none of its secrets. */
export function facadeEnvironment(
  env: Environment,
  { port }: Listener,
  core: Listener,
  admin?: Listener,
): NodeJS.ProcessEnv {
  return {
    ...env,
    CORE_ADMIN_KEY: undefined,
    DATABASE_URL: undefined,
    REST_CORE_ADDRESS: env['REST_CORE_ADDRESS'] || toConnectAddress(core),
    ...(admin && { REST_CORE_ADMIN_ADDRESS: env['REST_CORE_ADMIN_ADDRESS'] || toConnectAddress(admin) }),
    REST_PORT: String(port),
  };
}
