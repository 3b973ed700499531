import type { IncomingMessage, ServerResponse } from 'node:http';
import { missingField, Refusal } from '../../runtime/errors/refusal.js';
import type { BudgetShare, FairBudget } from '../../runtime/limits/fair-budget.js';
import { callerAddress } from '../../runtime/net/addresses.js';
import type { RequestLimits } from '../config.js';
import type { CoreClient } from '../core-client/core-client.js';
import type { Throttle } from '../core-client/throttle.js';
import { readApiKey } from '../request/api-key.js';
import { bindRequest, checkQuery, type ParsedBody } from '../request/bind-request.js';
import { decodeDataUrl, noDataUrl } from '../request/body/data-url.js';
import { checkBodyHeaders, readJsonObject } from '../request/body/read-body.js';
import { readMultipart } from '../request/body/read-multipart.js';
import { chooseRoute, findRoutes } from '../request/choose-route.js';
import { describeJson } from '../request/describe-json.js';
import { parseQuery, splitTarget } from '../request/parse-target.js';
import { type BodyRule, hasPicture, type Route } from '../request/rules.js';
import { createRenderer, type Renderer } from '../response/create-renderer.js';
import { holdAnswer } from '../response/hold-answer.js';
import { nameAsSent } from '../response/name-as-sent.js';
import { allowBody, send } from '../response/send.js';
import { contextOf } from './request-context.js';

/** Limit of a JSON body without a picture, bytes. */
const maxPlainBodyBytes = 64 * 1024;

/** What an operation needs to be answered. */
export interface OperationDependencies {
  readonly routes: readonly Route[];
  readonly core: Pick<CoreClient, 'call'>;
  readonly budget: FairBudget;
  readonly throttle: Throttle;
  readonly limits: RequestLimits;
}

/**
 * Answers a request for an operation: finds the route, makes the cheap checks, reads the body, binds,
 * calls the core, renders. Rejects with a Refusal.
 */
export function createOperationHandler(deps: OperationDependencies) {
  const renderers = new Map(
    deps.routes.map((route) => [route, createRenderer(route.rpc.response)]),
  );
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const context = contextOf(response);
    const { path, query: rawQuery } = splitTarget(request.url ?? '/');
    const match = findRoutes(deps.routes, request.method ?? 'GET', path);
    context.route = match.routes[0].template;
    const apiKey = readApiKey(request);
    const query = parseQuery(rawQuery);
    const route = chooseRoute(match, query);
    checkQuery(route, query);
    // By address, since the key has not been verified when the body is read.
    const share = deps.budget.of(callerAddress(context.clientAddress));

    const answer = async () => {
      const { body, release } = await readBody(
        { limits: deps.limits, budget: share },
        route.body,
        request,
        response,
      );
      try {
        const message = bindRequest(route, {
          pathVariables: match.variables,
          query,
          headers: request.headersDistinct,
          body,
        });
        return await deps.core
          .call(route.rpc, message, {
            apiKey,
            requestId: context.requestId,
            traceparent: context.traceparent,
            clientAddress: context.clientAddress,
            deadline: context.deadline(),
            signal: context.signal(),
          })
          .catch((error: unknown) => {
            throw nameAsSent(Refusal.from(error), route);
          });
      } finally {
        release();
      }
    };
    const found = await (hasPicture(route.body)
      ? deps.throttle.run(`${route.rpc.path} ${apiKey}`, answer)
      : answer());
    const elapsedMs = performance.now() - context.arrivedAt;
    const render = renderers.get(route) as Renderer;
    const body = render(found, elapsedMs);
    // Others are small, and may be of a score that has been set by now.
    if (hasPicture(route.body)) holdAnswer(response, share, body.length);
    send(request, response, { status: 200, headers: {}, body });
  };
}

/** Reads and parses the body according to the rule. `release` ends the use of its bytes. */
async function readBody(
  { limits, budget }: { readonly limits: RequestLimits; readonly budget: BudgetShare },
  rule: BodyRule,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<{ body: ParsedBody; release: () => void }> {
  if (rule.kind === 'none') return { body: {}, release: () => {} };
  const maxBodyBytes = hasPicture(rule) ? limits.maxBodyBytes : maxPlainBodyBytes;
  checkBodyHeaders(request, maxBodyBytes);
  const { signal } = contextOf(response);
  const options = { signal: signal(), budget, maxBodyBytes };
  const start = () => allowBody(request, response);
  if (rule.kind === 'multipart') {
    const { fields, file, release } = await readMultipart(request, {
      ...options,
      start,
      filePart: rule.sentAs,
      maxFileBytes: limits.maxImageBytes,
      maxFields: limits.maxFormFields,
      maxFieldBytes: limits.maxFieldBytes,
    });
    return { body: { picture: file, fields }, release };
  }
  const { members, release } = await readJsonObject(request, { ...options, start });
  if (!hasPicture(rule)) return { body: { members }, release };
  try {
    // Without the picture's text, so that it is not held while the core works.
    const { [rule.sentAs]: dataUrl, ...rest } = members;
    const picture = readPicture(dataUrl, rule.sentAs, limits.maxImageBytes);
    return { body: { picture, members: rest }, release };
  } catch (error) {
    release();
    throw error;
  }
}

function readPicture(value: unknown, member: string, maxBytes: number): Buffer {
  if (value === undefined || value === null || value === '')
    throw missingField(member, 'data:image/<type>;base64,<data>');
  if (typeof value !== 'string') throw noDataUrl(member, `is ${describeJson(value)}`);
  return decodeDataUrl(value, member, maxBytes);
}
