import { fairLimit } from '../../runtime/limits/fair-budget.js';
import { createRoundRobin } from './round-robin.js';

/**
 * Queue with room for `capacity` items, in which owners take turns, and each has at most its fair limit
 * of the room: a flood from one leaves places for the others.
 *
 * Who has no room is refused by the caller, or, where it can be slowed down, waits outside and moves in
 * as room is made. Pure: no clock, no promise.
 */
export interface JobQueue<Item> {
  /** Puts an item behind the others of its owner, or outside where there is no room for it. */
  add(item: Item): void;
  /** Whether an item of this owner would get a place. */
  hasRoom(owner: string): boolean;
  /** Puts an item that was taken before ahead of its owner's others; never refused, since it had its place. */
  putBack(item: Item): void;
  /** Takes the oldest item of the owner whose turn it is; items that may not be taken yet stay where they are. */
  take(mayTake?: (item: Item) => boolean): Item | undefined;
  /** Removes an item wherever it stands; false when it is not here any more. */
  remove(item: Item): boolean;
  /** Removes and returns everything, in the order in which it would have been taken. */
  clear(): Item[];
  /** The most items with a place that would be taken before one that this owner adds now. */
  aheadOf(owner: string): number;
  /** Items that have a place, and items that wait for one. */
  readonly size: number;
}

export function createJobQueue<Item>(
  capacity: number,
  ownerOf: (item: Item) => string,
): JobQueue<Item> {
  const queued = createRoundRobin(ownerOf);
  const waiting = createRoundRobin(ownerOf);

  const hasRoom = (owner: string): boolean =>
    queued.count(owner) < fairLimit(capacity - queued.size);

  const moveIn = (): Item | undefined => waiting.take((_, owner) => hasRoom(owner));
  const fillUp = (): void => {
    for (let item = moveIn(); item !== undefined; item = moveIn()) queued.add(item);
  };
  const take = (mayTake?: (item: Item) => boolean): Item | undefined => {
    // With a capacity of 0, waiting items are served directly.
    const item = queued.take(mayTake) ?? waiting.take(mayTake);
    if (item !== undefined) fillUp();
    return item;
  };

  return {
    add(item) {
      const line = hasRoom(ownerOf(item)) ? queued : waiting;
      line.add(item);
    },
    hasRoom,
    aheadOf: (owner) => queued.aheadOf(owner),
    putBack: (item) => queued.putBack(item),
    take,
    remove(item) {
      const found = queued.remove(item) || waiting.remove(item);
      if (found) fillUp();
      return found;
    },
    clear() {
      const all: Item[] = [];
      for (let item = take(); item !== undefined; item = take()) all.push(item);
      return all;
    },
    get size() {
      return queued.size + waiting.size;
    },
  };
}
