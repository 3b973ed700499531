import type { ChildProcess } from 'node:child_process';

const stopMessage = { type: 'stop' } as const;

/** What closing may take beyond the grace, before a process that was told to stop kills itself. */
export const closeMs = 6_000;

export function tellToStop(child: ChildProcess): void {
  // The callback swallows the error if the child has already exited.
  child.send(stopMessage, () => undefined);
}

/**
 * Calls back each time the process is told to stop. On its own, it obeys SIGTERM, SIGINT and SIGHUP, however
 * often they arrive: npm forwards them to a process that has already received them. Under a launcher, it obeys only the
 * launcher's message, or its end: a signal to the process group reaches all processes at once, and the launcher
 * decides which stops first.
 *
 * @param stop receives who told it to stop
 */
export function whenToldToStop(host: NodeJS.Process, stop: (by: string) => void): void {
  if (!host.connected) {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) host.on(signal, stop);
    return;
  }
  host.on('message', (message) => {
    if ((message as { type?: unknown } | null)?.type === stopMessage.type) stop('launcher');
  });
  host.once('disconnect', () => stop('the end of the launcher'));
}

/** What a process reports to its launcher once it serves. */
export interface Serving {
  readonly type: 'serving';
  /** The store has never had an API key; sent by the core. */
  readonly isStoreNew?: boolean | undefined;
}

/** Tells the launcher, if there is one: the IPC channel to the parent is open then. */
export function tellLauncher(host: NodeJS.Process, message: Serving): void {
  // The callback swallows the error if the launcher is already gone.
  if (host.connected) host.send?.(message, undefined, undefined, () => undefined);
}

export function isServingMessage(message: unknown): message is Serving {
  return (message as Partial<Serving> | null)?.type === 'serving';
}
