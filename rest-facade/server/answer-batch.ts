import type { Request, Response } from 'express';
import { asRefusal, type Refusal, tooManyOpen } from '../../runtime/errors/refusal.js';
import { createHold } from '../../runtime/limits/fair-budget.js';
import { callerAddress } from '../../runtime/net/addresses.js';
import type { CallContext } from '../core-client/core-client.js';
import { fromLoadedStatus } from '../core-client/grpc-error.js';
import type { ParsedBody } from '../request/bind-request.js';
import { readMultipart } from '../request/body/read-multipart.js';
import { checkHeaders } from '../request/body-framing.js';
import { nameAsSent } from '../request/name-as-sent.js';
import { hasPicture, type Route } from '../request/route.js';
import { createRenderer } from '../response/create-renderer.js';
import { renderErrorLine } from '../response/http-error.js';
import { finish } from '../response/send.js';
import type { OperationDependencies } from './ask-core.js';
import { createBatchLines } from './batch-lines.js';
import { contextOf } from './request-context.js';

/**
 * Open batches; one address may have four fifths of them. Each has a call to the core from its headers on, however slowly
 * its pictures come, and a connection to a core has room for a hundred besides what stands in its queues.
 */
export const maxBatches = 64;

/**
 * What answers the requests of a route with many pictures; undefined for any other route. A form of many files becomes a
 * stream to the core, and each answer a line as soon as it is there, with the result or the error. What is wrong with the
 * request itself is refused as usual until the first line, and is the last line after it.
 */
export function createBatchAnswerer({ core, limits, budget, batches }: OperationDependencies, route: Route) {
  const { body: rule, names, isBatch } = route;
  if (!isBatch || !hasPicture(rule)) return undefined;
  const files = { sentAs: rule.sentAs, maxFiles: limits.maxBatchFiles, names, areSeparate: true };
  const render = createRenderer(route.response, true);

  /** @param bind the message for one picture, from the fields and the picture */
  return async (request: Request, response: Response, call: CallContext, bind: (body: ParsedBody) => object) => {
    const caller = callerAddress(call.clientAddress);
    const holdPlace = createHold(batches.of(caller));
    if (!holdPlace(1)) throw tooManyOpen('batches');
    const context = contextOf(response);
    const lines = createBatchLines(response, budget.of(caller));
    const show = (refusal: Refusal): string => renderErrorLine(nameAsSent(refusal, route), context.requestId);

    // Aborted by whatever ends the batch: reading, the core's stream, or a line for which there is no room.
    const ended = new AbortController();
    const end = (error: unknown): void => ended.abort(asRefusal(error));
    const signal = AbortSignal.any([call.signal, ended.signal]);
    const reading = { signal, reserve: lines.reserve, maxBodyBytes: limits.maxBatchBytes, response };
    try {
      checkHeaders(request, limits.maxBatchBytes);
      const stream = core.stream(route.rpc, { ...call, signal }, ({ id, response: answer, error }) => {
        try {
          lines.answer(Number(id), (ms, later) =>
            error ? show(fromLoadedStatus(error)) : render(answer ?? {}, ms, later),
          );
        } catch (problem) {
          end(problem);
        }
      });
      stream.ended.catch(end);
      await readMultipart(request, files, limits, reading, ({ filename, bytes, refusal }, fields) => {
        const message = bind({ fields, picture: bytes });
        const index = lines.add(filename);
        if (refusal) lines.answer(index, () => show(refusal));
        else stream.send({ id: String(index), request: message });
      }).finally(lines.endReading);
      stream.end();
      await stream.ended;
      if (lines.waiting.size > 0) throw new Error(`the core left ${lines.waiting.size} pictures without an answer`);
    } catch (error) {
      end(error);
      const refusal = asRefusal(error);
      // It is not too late for another status.
      if (!response.headersSent) throw refusal;
      context.refusal = refusal;
      for (const index of lines.waiting.keys()) lines.answer(index, () => show(refusal));
      lines.write(`${show(refusal)}\n`);
    } finally {
      holdPlace(0);
      lines.release();
    }
    finish(response);
  };
}
