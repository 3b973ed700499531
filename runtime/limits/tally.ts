export type Tally = ReturnType<typeof createTally>;

/** How much of something each owner has, and in how many parts. */
export function createTally() {
  const owners = new Map<string, { readonly parts: number; readonly amount: number }>();
  const add = (owner: string, parts: number, amount: number): void => {
    const own = owners.get(owner) ?? { parts: 0, amount: 0 };
    const all = { parts: own.parts + parts, amount: own.amount + amount };
    if (all.parts > 0) owners.set(owner, all);
    else owners.delete(owner);
  };
  return {
    add: (owner: string, amount: number): void => add(owner, 1, amount),
    remove: (owner: string, amount: number): void => add(owner, -1, -amount),
    /** Of an owner's parts; 0 without any. */
    meanOf(owner: string): number {
      const { parts, amount } = owners.get(owner) ?? { parts: 1, amount: 0 };
      return amount / parts;
    },
  };
}
