import { validateWhole } from '../../common/validate.js';

const largestPage = 1_000;

/**
 * A page of a list, whose token is the last entry of the page before: what is added or deleted meanwhile shifts none.
 *
 * @param list gives so many entries at most, from the first or the one after this token on
 * @throws Refusal INVALID_FIELD for the size; what `list` throws for the token
 */
export async function readPage<Item>(
  {
    pageSize = largestPage,
    pageToken,
  }: { readonly pageSize?: number | undefined; readonly pageToken?: string | undefined },
  list: (limit: number, after?: string) => Promise<Item[]>,
  tokenOf: (item: Item) => string,
): Promise<{ readonly items: Item[]; readonly nextPageToken: string | undefined }> {
  validateWhole('page_size', pageSize, 1, largestPage);
  const found = await list(pageSize + 1, pageToken || undefined);
  const items = found.slice(0, pageSize);
  const last = items.at(-1);
  return { items, nextPageToken: last && found.length > pageSize ? tokenOf(last) : undefined };
}
