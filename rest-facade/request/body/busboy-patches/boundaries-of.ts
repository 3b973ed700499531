import type { Busboy } from 'busboy';

/** How many boundaries busboy has met in a form, its last one too. */
interface Boundaries {
  readonly matches: number;
}

/**
 * busboy silently skips parts without a usable Content-Disposition, and what follows a boundary inside a part: then fewer
 * parts were told of than boundaries begin.
 *
 * - Gains: no company or picture is left out unnoticed.
 * - Costs: a private member of busboy, its search for the boundary, which it replaces at the end of the form; every form is
 *   refused, and so the tests fail, once it is gone.
 * - Delete when busboy tells of what it skips.
 *
 * @param parser nothing was written to it yet
 */
export function boundariesOf(parser: Busboy): Boundaries {
  return (parser as unknown as { readonly _bparser: Boundaries })._bparser;
}
