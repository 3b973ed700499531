import type { Busboy } from 'busboy';

/** busboy's search for the boundary, which its types leave out. */
interface Internals {
  readonly _bparser: { readonly matches: number };
}

/**
 * The boundaries that busboy has met so far, the last one of the form too. It silently skips parts without a usable
 * Content-Disposition, and what follows a boundary inside a part: then there are fewer parts than boundaries begin.
 *
 * - Gains: no company or picture is left out unnoticed.
 * - Costs: a private member of busboy; every form is refused, and so the tests fail, once it is gone.
 * - Delete when busboy tells of what it skips.
 */
export function countBoundaries(parser: Busboy): number {
  return (parser as unknown as Internals)._bparser.matches;
}
