import { fairLimit } from './fair-limit.js';

/** Bytes that all requests together may hold. */
export interface ByteBudget {
  /** What one caller may take of it. */
  of(owner: string): ByteShare;
  readonly taken: number;
}

/** A caller's part of a budget. */
export interface ByteShare {
  /** Takes bytes; false, and takes none, when this caller may have no more. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** A budget of so many bytes, of which each owner has at most its fair limit. */
export function createByteBudget(maxBytes: number): ByteBudget {
  const held = new Map<string, number>();
  let taken = 0;
  return {
    of: (owner) => ({
      take(bytes) {
        const own = (held.get(owner) ?? 0) + bytes;
        if (own > fairLimit(maxBytes - taken - bytes)) return false;
        taken += bytes;
        held.set(owner, own);
        return true;
      },
      give(bytes) {
        taken -= bytes;
        const own = (held.get(owner) ?? 0) - bytes;
        if (own > 0) held.set(owner, own);
        else held.delete(owner);
      },
    }),
    get taken() {
      return taken;
    },
  };
}
