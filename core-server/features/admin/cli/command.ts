import type { AdminHandlers } from '../service.js';

/** What the commands need. */
export interface AdminCliDependencies {
  /** Opens the store, which must exist unless the work `mayCreate` it, does the work and closes the store. */
  readonly withHandlers: <T>(
    work: (handlers: AdminHandlers) => Promise<T>,
    options?: { readonly mayCreate: boolean },
  ) => Promise<T>;
  readonly write: (text: string) => void;
  readonly readPassword: () => Promise<string>;
}

export interface JsonOption {
  readonly json?: true;
}

/** All pages of a list. */
export async function readAll<Page extends { readonly nextPageToken?: string | undefined }>(
  list: (request: { readonly pageToken: string | undefined }) => Promise<Page>,
): Promise<Page[]> {
  const pages: Page[] = [];
  do pages.push(await list({ pageToken: pages.at(-1)?.nextPageToken }));
  while (pages.at(-1)?.nextPageToken !== undefined);
  return pages;
}
