import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

const running = new Set<ChildProcess>();

/** Ends what still runs, for a run that is broken off. */
export function killLeftovers(): void {
  for (const child of running) child.kill('SIGTERM');
}

/** A program that was started. */
interface Child {
  readonly pid: number;
  readonly stdout: Readable;
  /** Asks again and again until it works. Rejects when the program ends before, or the time is over. */
  readonly ready: (check: () => Promise<boolean>) => Promise<void>;
  /** Rejects when it had ended by itself. */
  readonly stop: () => Promise<void>;
}

const startTimeoutMs = 120_000;

/** Starts a program, whose end ends the run unless it was asked for. */
export function startChild(
  command: string,
  args: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string },
): Child {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.resume();
  let asked = false;
  let failure: Error | undefined;
  running.add(child);
  const ended = new Promise<void>((resolve) => {
    const end = (error: Error): void => {
      running.delete(child);
      if (!asked) failure = error;
      resolve();
    };
    child.once('error', end);
    child.once('exit', (code) => end(new Error(`${args.at(-1)} ended (exit code ${code})`)));
  });
  return {
    pid: child.pid ?? 0,
    stdout: child.stdout,
    async ready(check) {
      const deadline = performance.now() + startTimeoutMs;
      while (!(await check().catch(() => false))) {
        if (failure) throw failure;
        if (performance.now() > deadline) throw new Error(`${args.at(-1)} is not ready after ${startTimeoutMs} ms`);
        await sleep(20);
      }
    },
    async stop() {
      asked = true;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await ended;
      clearTimeout(timer);
      if (failure) throw failure;
    },
  };
}

/** What a forked process sends next. @throws Error if it ends before */
export async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`process ${child.pid} ended (exit code ${code})`);
  });
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Message];
    return message;
  } finally {
    over.abort();
  }
}
