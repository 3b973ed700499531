/**
 * A line in which owners take turns: whoever adds a hundred items delays its own, not those of
 * others. Items of one owner keep their order.
 */
export interface RoundRobin<Item> {
  /** Adds an item behind the others of its owner. */
  add(item: Item): void;
  /** Adds an item that was taken before: ahead of its owner's others, behind those that were put back earlier. */
  putBack(item: Item): void;
  /** Takes the first item that may be taken, of the first owner in turn that has one; that owner goes last. */
  take(mayTake?: (item: Item, owner: string) => boolean): Item | undefined;
  /** Removes an item wherever it stands; false when it is not here. */
  remove(item: Item): boolean;
  /** Items of an owner. */
  count(owner: string): number;
  /** The most items that would be taken before one that this owner adds now: owners take turns. */
  aheadOf(owner: string): number;
  readonly size: number;
}

export function createRoundRobin<Item>(ownerOf: (item: Item) => string): RoundRobin<Item> {
  // Maps and sets keep insertion order and remove from the middle in constant time. An owner without
  // items is not kept.
  const lines = new Map<string, Set<Item>>();
  const returned = new Set<Item>();
  let size = 0;

  const shrink = (owner: string, line: Set<Item>, item: Item): void => {
    line.delete(item);
    returned.delete(item);
    size -= 1;
    if (line.size === 0) lines.delete(owner);
  };

  return {
    add(item) {
      const owner = ownerOf(item);
      const line = lines.get(owner) ?? new Set();
      line.add(item);
      lines.set(owner, line);
      size += 1;
    },
    putBack(item) {
      const line = [...(lines.get(ownerOf(item)) ?? [])];
      const isBack = (other: Item): boolean => returned.has(other);
      const isFresh = (other: Item): boolean => !returned.has(other);
      lines.set(ownerOf(item), new Set([...line.filter(isBack), item, ...line.filter(isFresh)]));
      returned.add(item);
      size += 1;
    },
    take(mayTake = () => true) {
      for (const [owner, line] of lines) {
        for (const item of line) {
          if (!mayTake(item, owner)) continue;
          lines.delete(owner);
          lines.set(owner, line);
          shrink(owner, line, item);
          return item;
        }
      }
      return undefined;
    },
    remove(item) {
      const owner = ownerOf(item);
      const line = lines.get(owner);
      if (!line?.has(item)) return false;
      shrink(owner, line, item);
      return true;
    },
    count: (owner) => lines.get(owner)?.size ?? 0,
    aheadOf(owner) {
      const own = lines.get(owner)?.size ?? 0;
      let ahead = own;
      for (const [other, line] of lines) {
        if (other !== owner) ahead += Math.min(line.size, own + 1);
      }
      return ahead;
    },
    get size() {
      return size;
    },
  };
}
