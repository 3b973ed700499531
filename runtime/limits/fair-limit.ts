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

/** The most that one owner may have of a resource, if nobody else has any of it. */
export function largestShare(total: number): number {
  return Math.floor((total * heldPerFree) / (heldPerFree + 1));
}
