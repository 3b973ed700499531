import type { ChildProcess } from 'node:child_process';

const stopWord = { type: 'stop' } as const;

/** What closing may take beyond the grace, before a process that was told to stop kills itself. */
export const closeMs = 6_000;

/** Tells a process that this one started to stop. */
export function tellToStop(child: ChildProcess): void {
  // One that ends meanwhile needs no telling: without the callback that would be thrown.
  if (child.connected) child.send(stopWord, () => undefined);
}

/**
 * Calls back each time the process is told to stop. By itself it heeds SIGTERM and SIGINT, however often they
 * come: npm hands them on to a process that has them already. Below a launcher it heeds the launcher's word only,
 * or its end: a signal to the process group reaches all of them at once, and who stops first is decided there.
 *
 * @param stop gets who told it
 */
export function whenToldToStop(host: NodeJS.Process, stop: (by: string) => void): void {
  if (!host.connected) {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) host.on(signal, stop);
    return;
  }
  host.on('message', (message) => {
    if ((message as { type?: unknown } | null)?.type === stopWord.type) stop('launcher');
  });
  host.once('disconnect', () => {
    stop('the end of the launcher');
  });
}
