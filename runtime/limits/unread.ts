import { type BudgetShare, createHold } from './fair-budget.js';

export type Unread = ReturnType<typeof createUnread>;

/** Responses that are not sent yet: until then they are in memory, however slowly their callers read. */
export function createUnread() {
  /** How many each caller has, and their bytes. */
  const owners = new Map<string, { readonly count: number; readonly bytes: number }>();
  const note = (owner: string, count: number, bytes: number): void => {
    const own = owners.get(owner) ?? { count: 0, bytes: 0 };
    const all = { count: own.count + count, bytes: own.bytes + bytes };
    if (all.count > 0) owners.set(owner, all);
    else owners.delete(owner);
  };
  return {
    /** Whether a caller has room for one more like those that it has not read: otherwise, one would be made in vain. */
    hasRoom(share: BudgetShare): boolean {
      const { count, bytes } = owners.get(share.owner) ?? { count: 1, bytes: 0 };
      return share.hasRoom(bytes / count);
    },
    /** Takes a response's bytes of its caller's share. @returns gives them back, once; undefined if there is no room */
    take(share: BudgetShare, bytes: number): (() => void) | undefined {
      const hold = createHold(share);
      if (!hold(bytes)) return undefined;
      note(share.owner, 1, bytes);
      return () => {
        hold(0);
        note(share.owner, -1, -bytes);
      };
    },
  };
}
