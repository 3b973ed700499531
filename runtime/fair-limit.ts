/** An owner may have so many times what would stay free. */
const heldPerFree = 4;

/**
 * How much one owner may have of what is held in common, where so much of it would stay free: one alone gets
 * about four fifths, and the more of them there are, the less each (the dynamic thresholds of Choudhury and
 * Hahne, 1998). So who fills it leaves room for the others.
 */
export function fairLimit(free: number): number {
  return heldPerFree * free;
}
