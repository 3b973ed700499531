import type { Request, Response } from 'express';
import { Refusal, refuse } from '../../runtime/errors/refusal.js';
import type { BudgetShare } from '../../runtime/limits/fair-budget.js';
import type { RequestLimits } from '../config.js';
import type { CallContext, CoreClient } from '../core-client/core-client.js';
import { fromLoadedStatus, type LoadedStatus } from '../core-client/grpc-error.js';
import { nameAsSent, type ParsedBody, type RequestMessage } from '../request/bind-request.js';
import { readMultipart } from '../request/body/read-multipart.js';
import { checkHeaders } from '../request/read-body.js';
import { hasPicture, type Route } from '../request/route.js';
import { reserveBody } from '../reserve-memory.js';
import { createRenderer, type Renderer } from '../response/create-renderer.js';
import { renderError } from '../response/http-error.js';
import { finish } from '../response/send.js';
import { openLines } from './open-lines.js';
import { contextOf } from './request-context.js';

interface Batch {
  readonly call: CallContext;
  readonly share: BudgetShare;
  /** The caller's part of the batches that may be open. */
  readonly places: BudgetShare;
  /** The message for one picture, from the fields and the picture. */
  readonly bind: (body: ParsedBody) => RequestMessage;
}

interface BatchDependencies {
  readonly core: Pick<CoreClient, 'stream'>;
  readonly limits: RequestLimits;
}

/** A picture without its line. */
interface Picture {
  readonly index: number;
  readonly filename: string;
  readonly arrivedAt: number;
  /** Gives the memory of its bytes back. */
  readonly release: () => void;
}

/**
 * Open batches; one address may have four fifths of them. Each has a call to the core from its headers on, however slowly
 * its pictures come, and a connection to a core has room for a hundred besides what stands in its queues.
 */
export const maxBatches = 64;
/** Pictures of one batch that are passed on at a time; until one is answered, the rest of the body waits. */
const picturesAtOnce = 8;
/** Lines that the caller has not read yet, bytes; until it does, the rest of the body waits. */
const maxUnreadBytes = 8 * 2 ** 20;
const maxFilenameLength = 255;

/** What answers the requests of a route with many pictures; undefined for any other route. */
export function createBatchAnswerer(deps: BatchDependencies, route: Route) {
  const { body, isBatch } = route;
  if (!isBatch || !hasPicture(body)) return undefined;
  const render = createRenderer(route.response);
  return async (request: Request, response: Response, batch: Batch): Promise<void> => {
    if (!batch.places.take(1)) throw tooManyBatches();
    try {
      await answerBatch(request, response, { ...deps, ...batch, route, filePart: body.sentAs, render });
    } finally {
      batch.places.give(1);
    }
  };
}

function tooManyBatches(): Refusal {
  return refuse('QUEUE_FULL', `too many batches are open, want at most ${maxBatches}, try again in 1 s`, {
    details: { limit: String(maxBatches) },
    retryAfterSeconds: 1,
  });
}

/**
 * Answers a form of many files by a stream of the core: a line of NDJSON for each picture as soon as it is ready, with
 * the result or the error. What is wrong with the request itself is refused as usual until the first line, and is the
 * last line after it.
 */
async function answerBatch(
  request: Request,
  response: Response,
  batch: BatchDependencies & Batch & { readonly route: Route; readonly filePart: string; readonly render: Renderer },
): Promise<void> {
  const { core, limits, route, filePart, call, share, render, bind } = batch;
  const context = contextOf(response);
  const open = new Map<string, Picture>();
  let isReading = true;
  const regulate = (): void => {
    if (!isReading) return;
    if (open.size < picturesAtOnce && lines.unreadBytes < maxUnreadBytes) request.resume();
    else request.pause();
  };
  const lines = openLines(response, share, regulate);
  const finished = (id: string, body: string): void => {
    const { index, filename, release } = open.get(id) as Picture;
    open.delete(id);
    release();
    lines.write(`{"index":${index},"filename":${JSON.stringify(filename)},${body.slice(1)}`);
    regulate();
  };
  const refused = (id: string, refusal: Refusal): void =>
    finished(id, renderError(nameAsSent(refusal, route), context.requestId).body);

  // Aborted by whatever ends the batch: reading, the core's stream, or a line for which there is no room.
  const ended = new AbortController();
  const end = (error: unknown): void => ended.abort(Refusal.from(error));
  const signal = AbortSignal.any([call.signal, ended.signal]);
  checkHeaders(request, limits.maxBatchBytes);
  const stream = await core.stream(route.rpc, { ...call, signal }, (message) => {
    const { id, response: answer, error } = message as StreamAnswer;
    const picture = open.get(id);
    if (picture === undefined) return;
    try {
      if (error) refused(id, fromLoadedStatus(error));
      else finished(id, render(answer ?? {}, performance.now() - picture.arrivedAt));
    } catch (problem) {
      end(problem);
    }
  });
  stream.ended.catch(end);

  let reservation = reserveBody(share);
  let index = 0;
  const reserve = (bytes: number): void => reservation.grow(bytes);
  const options = { signal, reserve, maxBodyBytes: limits.maxBatchBytes, response };
  const files = { sentAs: filePart, maxFiles: limits.maxBatchFiles, areSeparate: true };
  try {
    await readMultipart(request, files, limits, options, ({ filename, bytes, refusal }, fields) => {
      const id = String(index);
      const { release } = reservation;
      reservation = reserveBody(share);
      const message = bind({ fields, picture: bytes });
      const name = filename.slice(0, maxFilenameLength);
      open.set(id, { index: index++, filename: name, arrivedAt: performance.now(), release });
      if (refusal) return refused(id, refusal);
      stream.send({ id, request: message });
      regulate();
    });
    isReading = false;
    stream.end();
    await stream.ended;
    if (open.size > 0) throw new Error(`the core left ${open.size} pictures without an answer`);
  } catch (error) {
    isReading = false;
    end(error);
    const refusal = Refusal.from(error);
    if (!lines.areBegun) throw refusal;
    context.refusal = refusal;
    for (const id of open.keys()) refused(id, refusal);
    lines.write(renderError(nameAsSent(refusal, route), context.requestId).body);
  } finally {
    reservation.release();
    for (const { release } of open.values()) release();
  }
  finish(request, response);
}

/** As proto-loader gives it. */
interface StreamAnswer {
  readonly id: string;
  readonly response: object | null;
  readonly error: LoadedStatus | null;
}
