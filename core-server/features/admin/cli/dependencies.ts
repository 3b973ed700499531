import type { AdminHandlers } from '../service.js';

/** What the admin command needs from outside. */
export interface AdminCliDependencies {
  /** Opens the store, which must exist unless the work `mayCreate` it, does the work and closes the store. */
  readonly withHandlers: <T>(
    work: (handlers: AdminHandlers) => Promise<T>,
    options?: { readonly mayCreate: boolean },
  ) => Promise<T>;
  /** Copies the store to a new file. */
  readonly backUp: (file: string) => Promise<void>;
  /** Registers a demo in an empty store; undefined if it is in use already. */
  readonly registerDemo: () => Promise<unknown>;
  /** Writes one answer to the standard output. */
  readonly write: (text: string) => void;
  /** Reads a password from the standard input. */
  readonly readPassword: () => Promise<string>;
  /** Makes a password that nobody can guess. */
  readonly generatePassword: () => string;
  readonly now: () => Date;
}
