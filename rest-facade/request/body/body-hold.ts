import { noRoom } from '../../../runtime/errors/refusal.js';
import { chunksTooSmall, createChunkSizeCheck } from '../../../runtime/limits/chunk-size.js';
import type { BudgetShare } from '../../../runtime/limits/fair-budget.js';

/** Amount of the budget that is taken at a time, if that much is left. */
const stepBytes = 64 * 1024;

/** What one request holds of its caller's share: everything it sent, the file and all fields of a form. */
export interface BodyHold {
  /**
   * Counts a chunk that arrived. The budget is taken as chunks arrive, so that a caller who announces a lot and
   * sends nothing takes nothing from others.
   * @throws Refusal QUEUE_FULL, INVALID_FIELD
   */
  readonly grow: (bytes: number) => void;
  /** Gives everything back; the received body must not be used any more. */
  readonly release: () => void;
}

export function createBodyHold(share: BudgetShare): BodyHold {
  const areTooSmall = createChunkSizeCheck();
  let came = 0;
  let taken = 0;
  return {
    grow: (bytes) => {
      if (areTooSmall(bytes)) throw chunksTooSmall('body');
      came += bytes;
      const missing = came - taken;
      if (missing <= 0) return;
      // Near the end of the share, there may be room for the chunk but not for a whole step.
      const more = [Math.max(missing, stepBytes), missing].find((step) => share.take(step));
      if (more === undefined) throw noRoom();
      taken += more;
    },
    release: () => {
      share.give(taken);
      taken = 0;
    },
  };
}
