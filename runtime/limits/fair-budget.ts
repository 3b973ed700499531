/** An owner may have this many times what would stay free. */
const heldPerFree = 4;

/**
 * How much one owner may have of a shared resource, given how much of it would stay free: a single owner gets
 * about four fifths, and the more owners there are, the less each gets (the dynamic thresholds of Choudhury
 * and Hahne, 1998). So an owner that fills it leaves room for others.
 */
export function fairLimit(free: number): number {
  return heldPerFree * free;
}

export type FairBudget = ReturnType<typeof createFairBudget>;

/** A caller's part of a budget, of which `createHold` takes. */
export type BudgetShare = ReturnType<FairBudget['of']>;

/** An amount of something, such as bytes or places, of which each owner gets at most its fair limit. */
export function createFairBudget(max: number) {
  const held = new Map<string, number>();
  let taken = 0;
  return {
    /** The share that one caller may take. */
    of: (owner: string) => ({
      owner,
      /** All that it can have while nobody else has anything. */
      largest: Math.floor((max * heldPerFree) / (heldPerFree + 1)),
      /** Whether it may take this much. */
      hasRoom: (amount: number): boolean => (held.get(owner) ?? 0) + amount <= fairLimit(max - taken - amount),
      /** Takes this much, whether or not there is room, or gives it back if it is negative. */
      add(amount: number): void {
        taken += amount;
        const own = (held.get(owner) ?? 0) + amount;
        if (own > 0) held.set(owner, own);
        else held.delete(owner);
      },
    }),
    get taken() {
      return taken;
    },
  };
}

/** Holds as much of each share as it is called with; false, changing nothing, if one of them has no room for that. */
export function createHold(...shares: readonly BudgetShare[]): (amount: number) => boolean {
  let held = 0;
  return (amount) => {
    const more = amount - held;
    if (more > 0 && !shares.every((share) => share.hasRoom(more))) return false;
    for (const share of shares) share.add(more);
    held = amount;
    return true;
  };
}
