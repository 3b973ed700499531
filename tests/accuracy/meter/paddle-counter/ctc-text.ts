/** A character that a CTC recogniser saw. */
export interface ReadCharacter {
  readonly text: string;
  /** Probability, 0..1. */
  readonly confidence: number;
  /** Middle of the character, as a share of the line's length. */
  readonly position: number;
}

/**
 * Greedy CTC decoding: the best class of each step, repeats merged, blanks dropped.
 *
 * @param steps row by row, `alphabet.length + 1` probabilities a step; class 0 is the blank
 * @param alphabet text of class 1, 2, …
 */
export function decodeCtc(steps: Float32Array, alphabet: readonly string[]): ReadCharacter[] {
  const classes = alphabet.length + 1;
  const count = Math.floor(steps.length / classes);
  const characters: { text: string; confidence: number; first: number; last: number }[] = [];
  let previous = 0;
  for (let step = 0; step < count; step++) {
    let best = 0;
    let confidence = 0;
    for (let index = 0; index < classes; index++) {
      const value = steps[step * classes + index] ?? 0;
      if (value > confidence) {
        best = index;
        confidence = value;
      }
    }
    const current = characters.at(-1);
    if (best !== 0 && best === previous && current) {
      current.last = step;
      current.confidence = Math.max(current.confidence, confidence);
    } else if (best !== 0) {
      characters.push({ text: alphabet[best - 1] ?? '', confidence, first: step, last: step });
    }
    previous = best;
  }
  return characters.map(({ text, confidence, first, last }) => ({
    text,
    confidence,
    position: ((first + last) / 2 + 0.5) / count,
  }));
}
