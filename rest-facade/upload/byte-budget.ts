/** Bytes that all requests together may hold. */
export interface ByteBudget {
  /** Takes bytes; false, and takes none, when there are not so many left. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  readonly taken: number;
}

/** A budget of so many bytes. */
export function createByteBudget(maxBytes: number): ByteBudget {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > maxBytes) return false;
      taken += bytes;
      return true;
    },
    give(bytes) {
      taken -= bytes;
    },
    get taken() {
      return taken;
    },
  };
}
