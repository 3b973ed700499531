/** What a process reports to its launcher once it serves. */
export interface Serving {
  readonly type: 'serving';
  /** The store has never had an API key; sent by the core. */
  readonly isStoreNew?: boolean | undefined;
}

/** What it reports if its start failed; otherwise only its log has the cause. */
export interface NotStarted {
  readonly type: 'not-started';
  /** For the user. */
  readonly why: string;
}

/** Tells the launcher, if there is one: the IPC channel to the parent is open then. */
export function tellLauncher(host: NodeJS.Process, message: Serving | NotStarted): void {
  // The callback swallows the error if the launcher is already gone.
  if (host.connected) host.send?.(message, undefined, undefined, () => undefined);
}

/** Whether something received over the channel is such a message. */
export function isServing(message: unknown): message is Serving {
  return (message as Partial<Serving> | null)?.type === 'serving';
}

export function isNotStarted(message: unknown): message is NotStarted {
  return (message as Partial<NotStarted> | null)?.type === 'not-started';
}
