/** What a process tells the launcher that started it, once it serves. */
export interface Serving {
  readonly type: 'serving';
  /** The store never had an API key; told by the core. */
  readonly isStoreNew?: boolean | undefined;
}

/** Tells the launcher, where there is one: the system's channel to the parent is open then. */
export function tellLauncher(host: NodeJS.Process, message: Serving): void {
  // A launcher that is gone by now needs to know nothing: without the callback that would be thrown.
  if (host.connected) host.send?.(message, undefined, undefined, () => undefined);
}

/** Whether what came over the channel is such a message. */
export function isServing(message: unknown): message is Serving {
  return (message as Partial<Serving> | null)?.type === 'serving';
}
