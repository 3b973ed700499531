/** What became of an item that was offered. */
export type Admission = 'queued' | 'waiting' | 'refused';

/**
 * First-in-first-out queue with room for `capacity` items.
 *
 * Beyond that an item is refused, or, where its owner can be slowed down, waits outside and moves
 * in as room is made. Pure: no clock, no promise.
 */
export interface JobQueue<Item> {
  /** Puts an item at the end. */
  offer(item: Item, whenFull: 'refuse' | 'wait'): Admission;
  /** Puts an item that was taken before at the front; never refused, since it had its place. */
  putBack(item: Item): void;
  /** Takes the oldest item. */
  take(): Item | undefined;
  /** Removes an item wherever it stands; false when it is not here any more. */
  remove(item: Item): boolean;
  /** Removes and returns everything, oldest first. */
  clear(): Item[];
  /** Items that have a place, and items that wait for one. */
  readonly size: number;
}

export function createJobQueue<Item>(capacity: number): JobQueue<Item> {
  // Sets keep insertion order and remove from the middle in constant time.
  let queued = new Set<Item>();
  const waiting = new Set<Item>();

  const fillUp = (): void => {
    for (const item of waiting) {
      if (queued.size >= capacity) return;
      waiting.delete(item);
      queued.add(item);
    }
  };

  return {
    offer(item, whenFull) {
      if (queued.size < capacity) {
        queued.add(item);
        return 'queued';
      }
      if (whenFull === 'refuse') return 'refused';
      waiting.add(item);
      return 'waiting';
    },
    putBack(item) {
      queued = new Set([item, ...queued]);
    },
    take() {
      // With no capacity at all the waiting items are served all the same.
      for (const from of [queued, waiting]) {
        for (const item of from) {
          from.delete(item);
          fillUp();
          return item;
        }
      }
      return undefined;
    },
    remove(item) {
      const found = queued.delete(item) || waiting.delete(item);
      if (found) fillUp();
      return found;
    },
    clear() {
      const all = [...queued, ...waiting];
      queued.clear();
      waiting.clear();
      return all;
    },
    get size() {
      return queued.size + waiting.size;
    },
  };
}
