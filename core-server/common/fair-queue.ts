import { type Refusal, refuse } from '../../runtime/errors/refusal.js';
import { fairLimit } from '../../runtime/limits/fair-budget.js';

/** How much of an owner's is being done, by which it comes later. */
type WorkOf = (owner: string) => number;

/**
 * Queue with room for `capacity` items, in which owners take turns (round robin), and each has at most its fair limit
 * of the room: a flood from one leaves places for the others, and delays only its own. Items of one owner keep their
 * order.
 *
 * Who has no room is refused by the caller, or, where it can be slowed down, waits outside and moves in
 * as room is made. Pure: no clock, no promise.
 */
export function createFairQueue<Item>(capacity: number, ownerOf: (item: Item) => string) {
  const queued = createRoundRobin(ownerOf);
  const waiting = createRoundRobin(ownerOf);

  const hasRoom = (owner: string): boolean => queued.count(owner) < fairLimit(capacity - queued.size);

  const fillUp = (): void => {
    // By owner: streams may have a hundred thousand items that wait, and one without room has it for none of them.
    const moveIn = () => waiting.takeOf(hasRoom);
    for (let item = moveIn(); item !== undefined; item = moveIn()) queued.add(item);
  };
  const take = (mayTake?: (item: Item) => boolean, workOf?: WorkOf): Item | undefined => {
    // With a capacity of 0, waiting items are served directly.
    const item = queued.take(mayTake, workOf) ?? waiting.take(mayTake, workOf);
    if (item !== undefined) fillUp();
    return item;
  };

  return {
    /** Puts an item behind the others of its owner, or outside where there is no room for it. */
    add: (item: Item): void => (hasRoom(ownerOf(item)) ? queued : waiting).add(item),
    /** Whether an item of this owner would get a place. */
    hasRoom,
    /** Whether an item of this owner has one. */
    hasAny: (owner: string): boolean => queued.count(owner) > 0,
    /** How many items with a place are taken before one that an owner without work under way adds now, at most. */
    aheadOf: (owner: string): number => queued.aheadOf(owner),
    /** Puts an item that was taken before ahead of its owner's others; never refused, since it had its place. */
    putBack: (item: Item): void => queued.putBack(item),
    /**
     * Takes the oldest item of the owner whose turn it is, of those who have the least work under way: by turns alone, one
     * with short items would wait for a long one before each. Items that may not be taken yet stay where they are.
     */
    take,
    /** Removes an item wherever it stands; false when it is not here any more. */
    remove(item: Item): boolean {
      const found = queued.remove(item) || waiting.remove(item);
      if (found) fillUp();
      return found;
    },
    /** Removes and returns everything, in the order in which it would have been taken. */
    clear(): Item[] {
      const all: Item[] = [];
      for (let item = take(); item !== undefined; item = take()) all.push(item);
      return all;
    },
    /** Items that have a place, and items that wait for one. */
    get size(): number {
      return queued.size + waiting.size;
    },
  };
}

export type FairQueue<Item> = ReturnType<typeof createFairQueue<Item>>;

/**
 * The refusal of one who gets no place.
 *
 * @param queue its name in the message
 * @param ahead how many are before it
 * @param room how many may be: no more than there are, if its owner has used all its places
 */
export function queueFull(queue: string, ahead: number, room: number, retryAfterSeconds: number): Refusal {
  const message = `${queue} has ${ahead} ahead of this request and room for ${room}, try again in ${retryAfterSeconds} s`;
  return refuse('QUEUE_FULL', message, { value: ahead, limit: room, retryAfterSeconds });
}

/** A line for each owner; whoever had a turn goes last. */
function createRoundRobin<Item>(ownerOf: (item: Item) => string) {
  // Maps and sets keep insertion order and remove from the middle in constant time. An owner without items is not kept.
  const lines = new Map<string, Set<Item>>();
  const returned = new Set<Item>();
  let size = 0;

  /** Items of an owner. */
  const count = (owner: string): number => lines.get(owner)?.size ?? 0;
  /** Serves an owner, who goes last then. */
  const serve = (owner: string, line: Set<Item>, item: Item): Item => {
    lines.delete(owner);
    lines.set(owner, line);
    remove(item);
    return item;
  };
  const add = (item: Item): void => {
    const owner = ownerOf(item);
    lines.set(owner, (lines.get(owner) ?? new Set()).add(item));
    size += 1;
  };
  const remove = (item: Item): boolean => {
    const owner = ownerOf(item);
    const line = lines.get(owner);
    if (!line?.delete(item)) return false;
    returned.delete(item);
    size -= 1;
    if (line.size === 0) lines.delete(owner);
    return true;
  };

  return {
    add,
    remove,
    /** Adds an item ahead of its owner's others, but behind those that were put back earlier. */
    putBack(item: Item): void {
      const later = [...(lines.get(ownerOf(item)) ?? [])].filter((other) => !returned.has(other));
      add(item);
      returned.add(item);
      // What is removed and added again stands last.
      for (const other of later) if (remove(other)) add(other);
    },
    /** Takes the first item that may be taken, of the first owner in turn, among those with the least work, that has one. */
    take(mayTake: (item: Item) => boolean = () => true, workOf?: WorkOf): Item | undefined {
      const inTurn = workOf ? [...lines].sort(([a], [b]) => workOf(a) - workOf(b)) : lines;
      for (const [owner, line] of inTurn) {
        for (const item of line) if (mayTake(item)) return serve(owner, line, item);
      }
      return undefined;
    },
    /** Takes the first item of the first owner in turn that may be served. */
    takeOf(mayServe: (owner: string) => boolean): Item | undefined {
      for (const [owner, line] of lines) {
        if (mayServe(owner)) for (const item of line) return serve(owner, line, item);
      }
      return undefined;
    },
    count,
    aheadOf(owner: string): number {
      const own = count(owner);
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
