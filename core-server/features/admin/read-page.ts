import type { ListApiKeysRequest, ListCompaniesRequest } from '../../../generated/imageanalysis/v1/admin.js';
import { validateWhole } from '../../common/validate.js';

const largestPage = 1_000;

/**
 * A page of a list, whose token is the last entry of the page before: what is added or deleted meanwhile shifts none.
 *
 * @param list gives so many entries at most, from the first or the one after this token on
 * @throws Refusal INVALID_FIELD for the size; what `list` throws for the token
 */
export async function readPage<Item>(
  { pageSize, pageToken }: ListApiKeysRequest | ListCompaniesRequest,
  list: (limit: number, after?: string) => Promise<Item[]>,
  tokenOf: (item: Item) => string,
): Promise<{ readonly items: Item[]; readonly nextPageToken: string | undefined }> {
  const size = validateWhole('page_size', pageSize, 1, largestPage) ?? largestPage;
  const found = await list(size + 1, pageToken || undefined);
  const items = found.slice(0, size);
  const last = items.at(-1);
  return { items, nextPageToken: last && found.length > size ? tokenOf(last) : undefined };
}
