import type { Request, RequestHandler, Response } from 'express';
import { missingField, Refusal } from '../../runtime/errors/refusal.js';
import type { BudgetShare, FairBudget } from '../../runtime/limits/fair-budget.js';
import { callerAddress } from '../../runtime/net/addresses.js';
import type { RequestLimits } from '../config.js';
import type { CoreClient } from '../core-client/core-client.js';
import type { Throttle } from '../core-client/throttle.js';
import { readApiKey } from '../request/api-key.js';
import { bindRequest, checkQuery, nameAsSent, type ParsedBody } from '../request/bind-request.js';
import { allowBody } from '../request/body/body-framing.js';
import { decodeDataUrl, noDataUrl } from '../request/body/data-url.js';
import { checkBodyHeaders, readJsonObject } from '../request/body/read-body.js';
import { readMultipart } from '../request/body/read-multipart.js';
import { type Candidates, chooseRoute } from '../request/choose-route.js';
import { describeJson } from '../request/describe-json.js';
import { parseQuery } from '../request/parse-target.js';
import { type BodyRule, hasPicture } from '../request/rules.js';
import { reserveResponse } from '../reserve-memory.js';
import { createRenderer, type Renderer } from '../response/create-renderer.js';
import { send } from '../response/send.js';
import { contextOf } from './request-context.js';

/** Limit of a JSON body without a picture, bytes. */
const maxPlainBodyBytes = 64 * 1024;

/** What an operation needs to be answered. */
export interface OperationDependencies {
  readonly core: Pick<CoreClient, 'call'>;
  readonly budget: FairBudget;
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
  const renderers = new Map(candidates.map((route) => [route, createRenderer(route.rpc.response)]));
  return async (request, response) => {
    const context = contextOf(response);
    context.route = candidates[0].template;
    const apiKey = readApiKey(request);
    const query = parseQuery(request.url);
    const route = chooseRoute(candidates, query);
    checkQuery(route, query);
    // By address, since the key has not been verified when the body is read.
    const share = deps.budget.of(callerAddress(context.clientAddress));

    const answer = async () => {
      const { body, release } = await readBody({ limits: deps.limits, budget: share }, route.body, request, response);
      try {
        const message = bindRequest(route, {
          params: request.params,
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
    const found = await (hasPicture(route.body) ? deps.throttle.run(`${route.rpc.path} ${apiKey}`, answer) : answer());
    const elapsedMs = performance.now() - context.arrivedAt;
    const render = renderers.get(route) as Renderer;
    const body = render(found, elapsedMs);
    // Others are small, and may be of a score that has been set by now.
    if (hasPicture(route.body)) reserveResponse(response, share, body.length);
    send(request, response, { status: 200, headers: {}, body });
  };
}

/** Reads and parses the body according to the rule. `release` ends the use of its bytes. */
async function readBody(
  { limits, budget }: { readonly limits: RequestLimits; readonly budget: BudgetShare },
  rule: BodyRule,
  request: Request<Record<string, string>>,
  response: Response,
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
