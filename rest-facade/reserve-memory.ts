import type { ServerResponse } from 'node:http';
import { noRoom } from '../runtime/errors/refusal.js';
import { chunksTooSmall, createChunkSizeCheck } from '../runtime/limits/chunk-size.js';
import type { BudgetShare } from '../runtime/limits/fair-budget.js';
import { createTally } from '../runtime/limits/tally.js';

/** Reserves of its caller's share what a request sends: the file and all fields of a form. */
export function reserveBody(share: BudgetShare) {
  const areTooSmall = createChunkSizeCheck();
  let taken = 0;
  return {
    /**
     * Counts a chunk that arrived. The budget is taken as chunks arrive, so that a caller who announces a lot and
     * sends nothing takes nothing from others.
     * @throws Refusal QUEUE_FULL, INVALID_FIELD
     */
    grow: (bytes: number): void => {
      if (areTooSmall(bytes)) throw chunksTooSmall('body');
      if (!share.take(bytes)) throw noRoom();
      taken += bytes;
    },
    /** Gives everything back; the received body must not be used any more. */
    release: (): void => {
      share.give(taken);
      taken = 0;
    },
  };
}

export type UnreadAnswers = ReturnType<typeof createUnreadAnswers>;

/** Reserves responses that are not sent yet: until then they are in memory, however slowly their callers read. */
export function createUnreadAnswers() {
  const unread = createTally();
  return {
    /**
     * Before a picture is read and analysed in vain.
     * @throws Refusal QUEUE_FULL if a caller who has not read its responses has no room for one more like them
     */
    assertRoom(share: BudgetShare): void {
      if (!share.hasRoom(unread.meanOf(share.owner))) throw noRoom();
    },
    /**
     * Takes a response's bytes from its caller's share until they are sent. A response no larger than its upload always
     * fits when the upload's bytes were given back just before, and one that is larger than any share fits an idle budget.
     * @throws Refusal QUEUE_FULL
     */
    reserve(response: ServerResponse, share: BudgetShare, bytes: number): void {
      // Its caller is gone: nothing would give them back, and nothing is sent.
      if (response.destroyed) return;
      const taken = Math.min(bytes, share.largest);
      if (!share.take(taken)) throw noRoom();
      unread.add(share.owner, taken);
      response.once('close', () => {
        share.give(taken);
        unread.remove(share.owner, taken);
      });
    },
  };
}
