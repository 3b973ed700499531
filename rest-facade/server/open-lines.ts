import type { ServerResponse } from 'node:http';
import { noRoom } from '../../runtime/errors/refusal.js';
import type { BudgetShare } from '../../runtime/limits/fair-budget.js';

/**
 * A response of lines, which begins with the first one. What its caller has not read yet is taken from the caller's
 * share.
 * @param onRead called when some of it was read
 */
export function openLines(response: ServerResponse, share: BudgetShare, onRead: () => void) {
  let unreadBytes = 0;
  const give = (bytes: number): void => {
    unreadBytes -= bytes;
    share.give(bytes);
  };
  // Nothing tells of what was not sent by then.
  response.once('close', () => give(unreadBytes));
  return {
    /** @throws Refusal QUEUE_FULL if the share has no room for it; nothing is written then */
    write(line: string): void {
      if (response.destroyed) return;
      const bytes = Buffer.from(`${line}\n`);
      if (!share.take(bytes.length)) throw noRoom();
      unreadBytes += bytes.length;
      if (!response.headersSent) {
        response.statusCode = 200;
        response.setHeader('content-type', 'application/x-ndjson');
        // Otherwise nginx would collect lines.
        response.setHeader('x-accel-buffering', 'no');
      }
      response.write(bytes, () => {
        if (response.destroyed) return;
        give(bytes.length);
        onRead();
      });
    },
    /** Whether it is too late for another status. */
    get areBegun(): boolean {
      return response.headersSent;
    },
    get unreadBytes(): number {
      return unreadBytes;
    },
  };
}
