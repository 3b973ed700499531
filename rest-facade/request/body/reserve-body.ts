import { noRoom } from '../../../runtime/errors/refusal.js';
import { chunksTooSmall, createChunkSizeCheck } from '../../../runtime/limits/chunk-size.js';
import { type BudgetShare, createHold } from '../../../runtime/limits/fair-budget.js';

/** Reserves of its caller's share what a request sends: the file and all fields of a form. */
export function reserveBody(share: BudgetShare) {
  const areTooSmall = createChunkSizeCheck();
  const hold = createHold(share);
  let held = 0;
  return {
    /**
     * Counts a chunk that arrived. The budget is taken as chunks arrive, so that a caller who announces a lot and
     * sends nothing takes nothing from others.
     * @throws Refusal QUEUE_FULL, INVALID_FIELD
     */
    grow: (bytes: number): void => {
      if (areTooSmall(bytes)) throw chunksTooSmall('body');
      if (!hold(held + bytes)) throw noRoom();
      held += bytes;
    },
    /** Gives everything back; the received body must not be used any more. */
    release: (): void => void hold(0),
  };
}
