import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A core in a process of its own. */
export interface CoreProcess {
  readonly port: number;
  readonly adminPort: number;
  /** Sends a signal and resolves when the process has ended: its exit code and the signal. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<[number | null, string | null]>;
}

const main = fileURLToPath(new URL('../../../core-server/main.js', import.meta.url));

/**
 * Starts the core as in production, on free ports unless told otherwise; killed after the test.
 *
 * @param maxDescriptors which it may have open
 */
export async function startCoreProcess(
  t: { after(end: () => unknown): unknown },
  environment: Record<string, string>,
  maxDescriptors = 1_024,
): Promise<CoreProcess> {
  const limited = ['-c', 'ulimit -n "$0" && exec "$@"', String(maxDescriptors)];
  const child = spawn('sh', [...limited, process.execPath, '--enable-source-maps', main], {
    env: { ...process.env, CORE_PORT: '0', CORE_ADMIN_PORT: '0', CORE_WORKERS: '1', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, port, admin_port: adminPort } = JSON.parse(line) as Record<string, unknown>;
    if (msg !== 'serving') continue;
    child.stdout.resume();
    return {
      port: Number(port),
      adminPort: Number(adminPort),
      end: (signal) => {
        child.kill(signal);
        return ended;
      },
    };
  }
  throw new Error('the core ended before it served');
}
