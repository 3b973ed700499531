import type { Request, RequestHandler, Response } from 'express';
import { Refusal } from '../../runtime/errors/refusal.js';
import { callerAddress } from '../../runtime/net/addresses.js';
import type { Rpc } from '../protos.js';
import { readApiKey } from '../request/api-key.js';
import { readBytes } from '../request/body/read-json.js';
import { checkHeaders, maxPlainBodyBytes } from '../request/read-body.js';
import { reserveBody, reserveResponse } from '../reserve-memory.js';
import { send } from '../response/send.js';
import { chooseProtocol, type Chosen } from '../web-rpc/choose-protocol.js';
import { type Codec, createBinaryCodec, createJsonCodec } from '../web-rpc/codec.js';
import type { OperationDependencies } from './handle-operation.js';
import { contextOf, toCallContext } from './request-context.js';

/**
 * Answers calls of an RPC as browsers make them, by Connect or gRPC-Web: the same checks, limits and shares as for an
 * operation of REST, and then the message goes to the core.
 */
export function handleRpc(deps: OperationDependencies, rpc: Rpc): RequestHandler {
  const { limits } = deps;
  const takesPicture = rpc.request.fieldsArray.some(({ type }) => type === 'bytes');
  const codecs = { proto: createBinaryCodec(rpc), json: createJsonCodec(rpc, limits) };
  const maxBytes = {
    proto: takesPicture ? Math.min(limits.maxImageBytes + maxPlainBodyBytes, limits.maxBodyBytes) : maxPlainBodyBytes,
    json: takesPicture ? limits.maxBodyBytes : maxPlainBodyBytes,
  };

  const answer = async (request: Request, response: Response, chosen: Chosen): Promise<void> => {
    const { protocol, format, contentType } = chosen;
    const context = contextOf(response);
    const apiKey = readApiKey(request, rpc.key);
    const codec: Codec = codecs[format];
    const patienceMs = protocol.readTimeout(request.headers) ?? Infinity;
    const own = toCallContext(context, apiKey);
    const call = { ...own, deadline: new Date(Math.min(Number(own.deadline), Date.now() + patienceMs)) };
    const share = deps.budget.of(callerAddress(context.clientAddress));
    const ask = async () => {
      const reservation = reserveBody(share);
      try {
        checkHeaders(request, maxBytes[format]);
        const body = await readBytes(request, {
          signal: call.signal,
          reserve: reservation.grow,
          maxBodyBytes: maxBytes[format],
          response,
        });
        return await deps.core.call(codec.rpc, codec.read(protocol.readMessage(body)), call);
      } finally {
        reservation.release();
      }
    };
    const found = await (takesPicture ? deps.throttle.run(`${rpc.path} ${apiKey}`, ask) : ask());
    const body = protocol.writeMessage(codec.write(found));
    if (takesPicture) reserveResponse(response, share, body.length);
    send(request, response, { status: 200, headers: { 'content-type': contentType }, body });
  };

  return async (request, response) => {
    const context = contextOf(response);
    context.route = rpc.path;
    const chosen = chooseProtocol(request.headers['content-type']);
    try {
      await answer(request, response, chosen);
    } catch (error) {
      context.refusal = Refusal.from(error);
      const { headers, ...refused } = chosen.protocol.refuse(context.refusal);
      send(request, response, { ...refused, headers: { 'content-type': chosen.contentType, ...headers } });
    }
  };
}
