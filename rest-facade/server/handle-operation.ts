import type { RequestHandler } from 'express';
import { Refusal } from '../../runtime/errors/refusal.js';
import type { FairBudget } from '../../runtime/limits/fair-budget.js';
import { callerAddress } from '../../runtime/net/addresses.js';
import type { RequestLimits } from '../config.js';
import type { CoreClient } from '../core-client/core-client.js';
import type { Throttle } from '../core-client/throttle.js';
import { readApiKey } from '../request/api-key.js';
import { bindRequest, checkNames, checkQuery, nameAsSent, type ParsedBody } from '../request/bind-request.js';
import { type Candidates, chooseRoute, chooseVariant } from '../request/choose-route.js';
import { parseQuery } from '../request/parse-target.js';
import { readBody } from '../request/read-body.js';
import { hasPicture } from '../request/route.js';
import { reserveBody, reserveResponse } from '../reserve-memory.js';
import { createResponder, type Responder } from '../response/create-responder.js';
import { send } from '../response/send.js';
import { createBatchAnswerer } from './answer-batch.js';
import { contextOf, toCallContext } from './request-context.js';

export interface OperationDependencies {
  readonly core: Pick<CoreClient, 'call' | 'stream'>;
  readonly budget: FairBudget;
  /** Batches that may be open. */
  readonly batches: FairBudget;
  readonly throttle: Throttle;
  readonly limits: RequestLimits;
}

/**
 * Answers requests of one verb and path: makes the cheap checks, reads the body, binds, calls the core, renders.
 * Rejects with a Refusal.
 */
export function handleOperation(
  deps: OperationDependencies,
  candidates: Candidates,
): RequestHandler<Record<string, string>> {
  const responders = new Map(candidates.map((route) => [route.rpc, createResponder(route.response)]));
  const answerBatch = createBatchAnswerer(deps, candidates[0]);
  return async (request, response) => {
    const context = contextOf(response);
    context.route = candidates[0].template;
    const apiKey = readApiKey(request, candidates[0].rpc.key);
    const query = parseQuery(request.url);
    const route = chooseVariant(chooseRoute(candidates, query), request.headers['content-type']);
    checkQuery(route, query);
    const checkKnown = (given: readonly string[]) => {
      if (!deps.limits.lenientFields) checkNames(route, given);
    };
    checkKnown(query.map(({ name }) => name));
    // By address, since the key has not been verified when the body is read.
    const caller = callerAddress(context.clientAddress);
    const share = deps.budget.of(caller);

    const { params, headersDistinct: headers } = request;
    const bind = (body: ParsedBody) => {
      checkKnown([...(body.fields ?? []).map(({ name }) => name), ...Object.keys(body.members ?? {})]);
      return bindRequest(route, { params, query, headers, body });
    };
    const call = toCallContext(context, apiKey);
    if (answerBatch !== undefined)
      return answerBatch(request, response, { call, share, places: deps.batches.of(caller), bind });

    const answer = async () => {
      const reservation = reserveBody(share);
      try {
        const body = await readBody(route.body, request, deps.limits, {
          signal: call.signal,
          reserve: reservation.grow,
          response,
        });
        return await deps.core.call(route.rpc, bind(body), call).catch((error: unknown) => {
          throw nameAsSent(Refusal.from(error), route);
        });
      } finally {
        reservation.release();
      }
    };
    const found = await (hasPicture(route.body) ? deps.throttle.run(`${route.rpc.path} ${apiKey}`, answer) : answer());
    const elapsedMs = performance.now() - context.arrivedAt;
    const respond = responders.get(route.rpc) as Responder;
    const shown = respond(found, elapsedMs);
    // Others are small, and may be of a score that has been set by now.
    if (hasPicture(route.body)) reserveResponse(response, share, shown.body.length);
    send(request, response, { status: 200, ...shown });
  };
}
