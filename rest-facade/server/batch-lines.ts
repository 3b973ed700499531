import type { ServerResponse } from 'node:http';
import { noRoom } from '../../runtime/errors/refusal.js';
import { type BudgetShare, createHold } from '../../runtime/limits/fair-budget.js';
import { reserveBody } from '../request/body/reserve-body.js';
import { LateText, withBase64 } from '../response/late-base64.js';

/** Pictures of one batch that are passed on at a time; until one is answered, the rest of the body waits. */
const picturesAtOnce = 8;
/** Lines that the caller has not read yet, bytes; until it does, the rest of the body waits where memory is scarce. */
const maxUnreadBytes = 8 * 2 ** 20;
/** What more lines leave of the caller's share, bytes. Browsers, among others, read none before all is sent. */
const spareBytes = 64 * 2 ** 20;
const maxFilenameLength = 255;

interface Picture {
  readonly filename: string;
  readonly arrivedAt: number;
  /** Gives the memory of its bytes back. */
  readonly release: () => void;
}

/**
 * The response to a batch: a line of NDJSON for each picture, the first of which begins it. The request waits while too
 * many pictures have no line, or too many lines are unread; these are taken from the caller's share, as pictures are until
 * they have their line.
 */
export function createBatchLines(response: ServerResponse, share: BudgetShare) {
  const waiting = new Map<number, Picture>();
  const hold = createHold(share);
  /** Of the picture that arrives. */
  let arriving = reserveBody(share);
  let pictures = 0;
  let unreadBytes = 0;
  let isReading = true;

  const regulate = (): void => {
    if (!isReading) return;
    const mayHaveMore = unreadBytes < maxUnreadBytes || share.hasRoom(spareBytes);
    if (waiting.size < picturesAtOnce && mayHaveMore) response.req.resume();
    else response.req.pause();
  };
  // Nothing tells of what was not sent by then.
  response.once('close', () => hold(0));

  /** @param line with its end @throws Refusal QUEUE_FULL, with nothing written, if the share has no room for it */
  const write = (line: string | LateText): void => {
    if (response.destroyed) return;
    const parts = typeof line === 'string' ? new LateText([line], []) : line;
    if (!hold(unreadBytes + parts.length)) throw noRoom();
    unreadBytes += parts.length;
    if (!response.headersSent) {
      response.statusCode = 200;
      response.setHeader('content-type', 'application/x-ndjson');
      // Otherwise nginx would collect lines.
      response.setHeader('x-accel-buffering', 'no');
    }
    for (const part of parts) {
      response.write(part, () => {
        if (response.destroyed) return;
        unreadBytes -= part.length;
        hold(unreadBytes);
        regulate();
      });
    }
  };

  return {
    /** Pictures without a line, by their indices. */
    waiting: waiting as ReadonlyMap<number, Picture>,
    /** Makes room for a chunk of the body. @throws Refusal QUEUE_FULL, INVALID_FIELD */
    reserve: (bytes: number): void => arriving.grow(bytes),
    /** Adds a picture, of all bytes since the one before it. @returns its index */
    add(filename: string): number {
      const index = pictures++;
      const shown = filename.slice(0, maxFilenameLength).toWellFormed();
      waiting.set(index, { filename: shown, arrivedAt: performance.now(), release: arriving.release });
      arriving = reserveBody(share);
      regulate();
      return index;
    },
    /**
     * Writes the line of a picture that has none yet.
     * @param show the JSON of its result or error, by the milliseconds that it took
     *   and with what takes bytes whose base64 is made later
     * @throws Refusal QUEUE_FULL, or what `show` throws
     */
    answer(index: number, show: (elapsedMs: number, later: Buffer[]) => string): void {
      const picture = waiting.get(index);
      if (picture === undefined) return;
      const { filename, arrivedAt, release } = picture;
      const head = `{"index":${index},"filename":${JSON.stringify(filename)},`;
      const line = withBase64((later) => `${head}${show(performance.now() - arrivedAt, later).slice(1)}\n`);
      waiting.delete(index);
      release();
      write(line);
      regulate();
    },
    write,
    /** The body is read, or is not read any more: whoever drops its rest decides on the request. */
    endReading: () => (isReading = false),
    /** Gives back the memory of pictures that get no line any more. */
    release(): void {
      for (const { release } of [arriving, ...waiting.values()]) release();
    },
  };
}
