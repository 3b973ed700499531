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

/** An owner may have so many times the bytes that would stay free. */
const bytesPerFreeByte = 4;

/**
 * A budget of so many bytes, of which none can have all: one owner alone gets about four fifths, and the
 * more of them there are, the less each (the dynamic thresholds of Choudhury and Hahne, 1998). So who
 * fills it leaves room for the others.
 */
export function createByteBudget(maxBytes: number): ByteBudget {
  const held = new Map<string, number>();
  let taken = 0;
  return {
    of: (owner) => ({
      take(bytes) {
        const own = (held.get(owner) ?? 0) + bytes;
        if (own > bytesPerFreeByte * (maxBytes - taken - bytes)) return false;
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
