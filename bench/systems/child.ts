import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const running = new Set<ChildProcess>();

/** Ends what still runs, for a run that is broken off. */
export function killLeftovers(): void {
  for (const child of running) child.kill('SIGTERM');
}

/** Starts a program whose end ends the run, unless it was asked for. Its words go to our stderr on demand. */
export function startChild(
  command: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string; readonly verbose?: boolean },
): { readonly pid: number; readonly child: ChildProcess; readonly stop: () => Promise<void> } {
  const words = options.verbose ? 2 : 'ignore';
  const child = spawn(command, args, {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env: options.env ?? process.env,
    stdio: ['ignore', 'pipe', words],
  });
  let asked = false;
  let failed: Error | undefined;
  running.add(child);
  const ended = new Promise<void>((resolve) => {
    const end = (error: Error): void => {
      running.delete(child);
      if (!asked) failed = error;
      resolve();
    };
    child.once('error', end);
    child.once('exit', (code) => end(new Error(`${command} ended (exit code ${code})`)));
  });
  return {
    pid: child.pid ?? 0,
    child,
    stop: async () => {
      asked = true;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await ended;
      clearTimeout(timer);
      if (failed) throw failed;
    },
  };
}

/** Asks again and again until it works. */
export async function waitFor(what: string, check: () => Promise<boolean>, timeoutMs = 120_000) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (await check().catch(() => false)) return;
    if (performance.now() > deadline) throw new Error(`${what} is not ready after ${timeoutMs} ms`);
    await sleep(20);
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return address !== null && typeof address === 'object' ? address.port : 0;
}
