import type { RequestHandler } from 'express';
import { asRefusal } from '../../runtime/errors/refusal.js';
import { freeBuffer } from '../../runtime/node-patches/free-buffer.js';
import { readApiKey } from '../request/api-key.js';
import { bindRequest, type ParsedBody } from '../request/bind-request.js';
import { checkNames, checkQuery } from '../request/check-names.js';
import { type Candidates, chooseRoute, chooseVariant } from '../request/choose-route.js';
import { nameAsSent } from '../request/name-as-sent.js';
import { type NamedValue, parseQuery } from '../request/parse-target.js';
import { readBody } from '../request/read-body.js';
import { createResponder, type Responder } from '../response/create-renderer.js';
import { createBatchAnswerer } from './answer-batch.js';
import { askCore, type OperationDependencies } from './ask-core.js';
import { contextOf } from './request-context.js';

/** Answers requests of one verb and path: checks what is cheap, reads the body, binds, calls the core, renders. */
export function handleOperation(
  deps: OperationDependencies,
  candidates: Candidates,
): RequestHandler<Record<string, string>> {
  const { core, limits } = deps;
  const responders = new Map(candidates.map(({ rpc, response }) => [rpc, createResponder(response, rpc.hasPicture)]));
  const answerBatch = createBatchAnswerer(deps, candidates[0]);
  return async (request, response) => {
    const context = contextOf(response);
    context.route = candidates[0].template;
    const apiKey = readApiKey(request, candidates[0].rpc.key);
    const query = parseQuery(request.url);
    const route = chooseVariant(chooseRoute(candidates, query), request.headers['content-type']);
    checkQuery(route, query);
    checkNames(route, namesOf(query), limits);

    const { params, headersDistinct: headers } = request;
    const bind = (body: ParsedBody) => {
      checkNames(route, namesOf(body.fields ?? []), limits);
      return bindRequest(route, { params, query, headers, body });
    };
    const call = context.callWith(apiKey);
    if (answerBatch !== undefined) return answerBatch(request, response, call, bind);

    const { rpc } = route;
    const respond = responders.get(rpc) as Responder;
    return askCore(deps, response, {
      rpc,
      call,
      async ask(reading) {
        const body = await readBody(route, request, limits, reading);
        const answer = core.call(rpc, bind(body), call);
        // It has been serialized.
        for (const picture of [body.picture ?? []].flat()) freeBuffer(picture);
        return answer.catch((error: unknown) => {
          throw nameAsSent(asRefusal(error), route);
        });
      },
      show: (answer) => respond(answer, performance.now() - context.arrivedAt),
    });
  };
}

const namesOf = (values: readonly NamedValue[]): string[] => values.map(({ name }) => name);
