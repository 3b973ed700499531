/** What a process tells the launcher that started it, once it serves. */
export interface Serving {
  readonly type: 'serving';
  /** The store never had an API key; told by the core. */
  readonly isStoreNew?: boolean | undefined;
}

/** What it tells of a start that failed, where its log alone has the cause. */
export interface NotStarted {
  readonly type: 'not-started';
  /** For the user. */
  readonly why: string;
}

/** Tells the launcher, where there is one: the system's channel to the parent is open then. */
export function tellLauncher(host: NodeJS.Process, message: Serving | NotStarted): void {
  // A launcher that is gone by now needs to know nothing: without the callback that would be thrown.
  if (host.connected) host.send?.(message, undefined, undefined, () => undefined);
}

/** Whether what came over the channel is such a message. */
export function isServing(message: unknown): message is Serving {
  return (message as Partial<Serving> | null)?.type === 'serving';
}

export function isNotStarted(message: unknown): message is NotStarted {
  return (message as Partial<NotStarted> | null)?.type === 'not-started';
}
