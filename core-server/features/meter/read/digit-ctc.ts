/** Digits of a reading, left to right, each 0..9. */
export type Digits = readonly number[];

/** Steps (first and last) of a strip that a digit covers. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/** Probabilities of one strip: `steps` rows of 21 classes. 0 is the blank, 1..10 are black 0..9, 11..20 red 0..9. */
export interface StripProbabilities {
  readonly data: Float32Array;
  readonly steps: number;
}

export const colouredClasses = 21;
const classes = 11;
const tiny = 1e-6;

/** Probability of a class (0 blank, digit + 1) at a step, black or red. */
export function probabilityAt({ data }: StripProbabilities, step: number, k: number): number {
  const at = step * colouredClasses + k;
  return (data[at] ?? 0) + (k === 0 ? 0 : (data[at + 10] ?? 0));
}

/** Digits of the most probable path, each with the step where it is most probable. */
export function bestPath(strip: StripProbabilities): { digit: number; step: number }[] {
  const path: { digit: number; step: number }[] = [];
  let previous = 0;
  for (let step = 0; step < strip.steps; step++) {
    let best = 0;
    for (let k = 1; k < classes; k++) {
      if (probabilityAt(strip, step, k) > probabilityAt(strip, step, best)) best = k;
    }
    const open = path.at(-1);
    if (best !== 0 && best !== previous) path.push({ digit: best - 1, step });
    else if (best !== 0 && open && probabilityAt(strip, step, best) > probabilityAt(strip, open.step, best))
      open.step = step;
    previous = best;
  }
  return path;
}

/** Probability of the digits: the sum over all their alignments (CTC forward pass, Graves 2006). */
export function likelihood(strip: StripProbabilities, digits: Digits): number {
  const labels = withBlanks(digits);
  // Plain probabilities suffice: in 56 steps, nothing that matters here underflows a double.
  let row = new Float64Array(labels.length);
  row[0] = probabilityAt(strip, 0, 0) + tiny;
  if (digits.length > 0) row[1] = probabilityAt(strip, 0, labels[1] ?? 0) + tiny;
  for (let step = 1; step < strip.steps; step++) {
    const next = new Float64Array(labels.length);
    for (const [s, label] of labels.entries()) {
      const sum = (row[s] ?? 0) + (row[s - 1] ?? 0) + (maySkip(labels, s) ? (row[s - 2] ?? 0) : 0);
      next[s] = sum * (probabilityAt(strip, step, label) + tiny);
    }
    row = next;
  }
  return (row.at(-1) ?? 0) + (row.at(-2) ?? 0);
}

/** The most probable alignment: the steps of each digit (Viterbi). */
export function align(strip: StripProbabilities, digits: Digits): Span[] {
  const labels = withBlanks(digits);
  const width = labels.length;
  const log = (step: number, label: number): number => Math.log(probabilityAt(strip, step, label) + tiny);
  const cameFrom: Int32Array[] = [];
  let row = new Float64Array(width).fill(-Infinity);
  row[0] = log(0, 0);
  if (width > 1) row[1] = log(0, labels[1] ?? 0);
  for (let step = 1; step < strip.steps; step++) {
    const next = new Float64Array(width);
    const from = new Int32Array(width);
    for (const [s, label] of labels.entries()) {
      let best = s;
      for (const other of maySkip(labels, s) ? [s - 1, s - 2] : [s - 1]) {
        if ((row[other] ?? -Infinity) > (row[best] ?? -Infinity)) best = other;
      }
      next[s] = (row[best] ?? -Infinity) + log(step, label);
      from[s] = best;
    }
    cameFrom.push(from);
    row = next;
  }
  const endsInBlank = width === 1 || (row[width - 1] ?? 0) >= (row[width - 2] ?? 0);
  const spans: { first: number; last: number }[] = digits.map(() => ({ first: -1, last: -1 }));
  let s = endsInBlank ? width - 1 : width - 2;
  for (let step = strip.steps - 1; step >= 0; step--) {
    const span = s % 2 === 1 ? spans[(s - 1) / 2] : undefined;
    if (span) {
      span.first = step;
      if (span.last < 0) span.last = step;
    }
    s = cameFrom[step - 1]?.[s] ?? s;
  }
  return spans;
}

/** Classes of the digits with a blank before, between and after. */
function withBlanks(digits: Digits): number[] {
  return [0, ...digits.flatMap((digit) => [digit + 1, 0])];
}

/** The blank between two digits may be left out unless they are the same. */
function maySkip(labels: readonly number[], s: number): boolean {
  return s > 1 && labels[s] !== 0 && labels[s] !== labels[s - 2];
}
