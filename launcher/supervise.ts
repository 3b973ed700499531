import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, fstatSync, openSync } from 'node:fs';
import { ConfigError } from '../runtime/errors/config-error.js';
import { nodeOptions } from '../runtime/node-patches/v8-flags.js';
import { exitCodes } from '../runtime/process/exit-codes.js';
import { isServingMessage, type Serving, tellToStop } from '../runtime/process/launcher-channel.js';

export interface SuperviseOptions {
  readonly name: string;
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  /** One line for the user. */
  readonly log: (line: string) => void;
  /** Delay before a restart; doubles with each immediate failure. */
  readonly backoffMs?: number | undefined;
  /** A process that served for this long did not fail immediately, and is restarted at once. */
  readonly stableAfterMs?: number;
  /** Time between being told to stop and SIGKILL; longer than the processes' own time to drain. */
  readonly stopGraceMs: number;
}

/** After this many immediate failures in a row, a process is not restarted. */
const maxFailures = 5;

const exitWithParent = new URL('./exit-with-parent.js', import.meta.url).href;

/** Starts a process, and restarts it with growing delays when it ends by itself. */
export function supervise(options: SuperviseOptions) {
  const { name, log, backoffMs = 250, stableAfterMs = 5_000, stopGraceMs } = options;
  const stderr = openOwnStderr();

  let child: ChildProcess | undefined;
  let restartTimer: NodeJS.Timeout | undefined;
  let failures = 0;
  let ready = false;
  let serving: Serving | undefined;
  let stopping = false;
  let fail!: (error: Error) => void;
  const failure = new Promise<never>((_resolve, reject) => (fail = reject));
  // Nobody may be waiting for it yet.
  failure.catch(() => undefined);

  function start(): void {
    let servesSince = Infinity;
    const started = startNode(options, stderr);
    child = started;
    const onEnd = (how: string, code?: number | null, signal?: NodeJS.Signals | null) => {
      if (child !== started) return;
      child = undefined;
      if (stopping) return;
      if (!ready) {
        const Failure = code === exitCodes.mistaken ? ConfigError : Error;
        // Whatever a signal ends has no time to say why.
        const why = signal ? 'memory or threads may have run out' : 'its lines above say why';
        return fail(new Failure(`the ${name} exited during startup (${how}); ${why}`));
      }
      const wasStable = performance.now() - servesSince >= stableAfterMs;
      // Being killed from outside is not a failure, however often it happens.
      const wasKilled = signal === 'SIGKILL';
      failures = wasStable || wasKilled ? 0 : failures + 1;
      if (failures >= maxFailures)
        return fail(new Error(`the ${name} exits every time it is started (${how}); stopping`));
      const delayMs = wasStable ? 0 : backoffMs * 2 ** failures;
      log(`${name} ended (${how}); starting it again ${wasStable ? 'at once' : `in ${delayMs} ms`}`);
      restartTimer = setTimeout(start, delayMs);
    };
    started.on('message', (message) => {
      if (!isServingMessage(message)) return;
      servesSince = performance.now();
      serving ??= message;
    });
    started.once('error', (error) => onEnd(error.message));
    started.once('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`, code, signal));
  }

  start();
  return {
    /** Process id of the child; undefined between two runs. */
    get pid() {
      return child?.pid;
    },
    /** What the process reported when it first served; undefined until then. */
    get serving() {
      return serving;
    },
    /**
     * Rejects with a sentence for the user when the process will not be started again: it ended before `markReady()`,
     * and restarting would only repeat a mistake, such as one in the configuration; or it keeps failing immediately.
     */
    failure,
    /** From now on, the process is restarted whenever it ends. */
    markReady() {
      ready = true;
    },
    /** Tells it to stop, sends SIGKILL after the grace period, and waits for the end. Does not restart it again. */
    async stop() {
      stopping = true;
      clearTimeout(restartTimer);
      if (!child) return;
      const killTimer = setTimeout(() => {
        child?.kill('SIGKILL');
        log(`${name} did not end in ${stopGraceMs} ms; killed it`);
      }, stopGraceMs);
      tellToStop(child);
      // It rejects for one that cannot be started.
      await once(child, 'exit').catch(() => undefined);
      clearTimeout(killTimer);
    },
    kill() {
      stopping = true;
      clearTimeout(restartTimer);
      child?.kill('SIGKILL');
    },
  };
}

/**
 * Standard error for one child. Where it is a pipe, those who share it share whether writing waits for its reader, which
 * Node.js sets as it starts and as it ends: a full pipe that nobody reads would hold the others up.
 */
function openOwnStderr(): number {
  try {
    if (fstatSync(2).isFIFO()) return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Nobody can read it any more, it is another user's, or there is no /proc.
  }
  return 2;
}

function startNode({ file, env }: SuperviseOptions, stderr: number): ChildProcess {
  const nodeArgs = [...nodeOptions, '--import', exitWithParent, file];
  return spawn(process.execPath, nodeArgs, {
    env,
    // Logs go to stderr, so that stdout holds the launcher's own lines; the channel is for exit-with-parent.
    stdio: ['ignore', stderr, stderr, 'ipc'],
    // Linux first divides the processor between sessions (autogroup), and applies nice values only within
    // one. Facade and core must share a session, or pictures count as much as refusing a flood.
    detached: false,
  });
}
