import type { ServerResponse } from 'node:http';
import { noRoom } from '../../runtime/errors/refusal.js';
import { type BudgetShare, createHold } from '../../runtime/limits/fair-budget.js';
import { createTally } from '../../runtime/limits/tally.js';

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
      const hold = createHold(share);
      if (!hold(taken)) throw noRoom();
      unread.add(share.owner, taken);
      response.once('close', () => {
        hold(0);
        unread.remove(share.owner, taken);
      });
    },
  };
}
