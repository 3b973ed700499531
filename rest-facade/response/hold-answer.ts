import type { ServerResponse } from 'node:http';
import { noRoom } from '../../runtime/errors/refusal.js';
import type { BudgetShare } from '../../runtime/limits/fair-budget.js';

/**
 * Takes a response's bytes from its caller's share until they are sent: until then they are in memory, however slowly
 * the caller reads. A response no larger than its upload always fits when the upload's bytes were given back just
 * before, and one that is larger than any share fits an idle budget.
 * @throws Refusal QUEUE_FULL
 */
export function holdAnswer(response: ServerResponse, share: BudgetShare, bytes: number): void {
  // Its caller is gone: nothing would give them back, and nothing is sent.
  if (response.destroyed) return;
  const taken = Math.min(bytes, share.largest);
  if (!share.take(taken)) throw noRoom();
  response.once('close', () => share.give(taken));
}
