import type { RequestHandler } from 'express';
import { asRefusal } from '../../runtime/errors/refusal.js';
import type { Rpc } from '../protos/rpcs.js';
import { readApiKey } from '../request/api-key.js';
import { readBytes } from '../request/body/read-bytes.js';
import { checkHeaders } from '../request/body-framing.js';
import { maxPlainBodyBytes } from '../request/read-body.js';
import { send } from '../response/send.js';
import { chooseProtocol } from '../web-rpc/choose-protocol.js';
import { createBinaryCodec, createJsonCodec } from '../web-rpc/codec.js';
import { askCore, type OperationDependencies } from './ask-core.js';
import { contextOf } from './request-context.js';

/**
 * Answers calls of an RPC as browsers make them, by Connect or gRPC-Web: the same checks, limits and shares as for an
 * operation of REST, and then the message goes to the core.
 */
export function handleRpc(deps: OperationDependencies, rpc: Rpc): RequestHandler {
  const { limits } = deps;
  const { hasPicture } = rpc;
  const codecs = { proto: createBinaryCodec(rpc), json: createJsonCodec(rpc, limits) };
  const maxBytes = {
    proto: (hasPicture ? limits.maxImageBytes : 0) + maxPlainBodyBytes,
    json: hasPicture ? limits.maxBodyBytes : maxPlainBodyBytes,
  };

  return async (request, response) => {
    const context = contextOf(response);
    context.route = rpc.path;
    const { protocol, format, contentType } = chooseProtocol(request.headers['content-type']);
    const codec = codecs[format];
    const maxBodyBytes = maxBytes[format];
    try {
      const own = context.callWith(readApiKey(request, rpc.key));
      const timeout = request.get(protocol.timeoutHeader);
      const patienceMs = timeout === undefined ? Infinity : protocol.parseTimeout(timeout);
      const call = { ...own, deadline: Math.min(own.deadline, performance.now() + patienceMs) };
      await askCore(deps, response, {
        rpc,
        call,
        async ask(reading) {
          checkHeaders(request, maxBodyBytes);
          const body = await readBytes(request, { ...reading, maxBodyBytes });
          return deps.core.call(codec.rpc, codec.read(protocol.readMessage(body)), call);
        },
        show: (answer) => ({
          headers: { 'content-type': contentType },
          body: protocol.writeMessage(codec.write(answer)),
        }),
      });
    } catch (error) {
      context.refusal = asRefusal(error);
      const { headers, ...refused } = protocol.refuse(context.refusal);
      send(response, { ...refused, headers: { 'content-type': contentType, ...headers } });
    }
  };
}
