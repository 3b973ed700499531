import { invalidField } from '../../runtime/errors/refusal.js';
import { connectStream, connectUnary } from './connect.js';
import { grpcWeb } from './grpc-web.js';
import type { WebProtocol } from './web-protocol.js';

/** A protocol, and how it has messages. */
export interface Chosen {
  readonly protocol: WebProtocol;
  readonly format: 'proto' | 'json';
  /** Of a successful response. */
  readonly contentType: string;
}

const protocols: readonly WebProtocol[] = [connectUnary, connectStream, grpcWeb];

/**
 * Tells the protocol by the content type of a request.
 * @throws Refusal UNSUPPORTED_CONTENT_TYPE
 */
export function chooseProtocol(given = ''): Chosen {
  const [named = ''] = given.toLowerCase().split(/\s*;/, 1);
  // The one that may leave out that its messages are Protobuf.
  const type = named === 'application/grpc-web' ? `${named}+proto` : named;
  for (const protocol of protocols)
    for (const format of ['proto', 'json'] as const) {
      const contentType = protocol.contentType + format;
      if (type === contentType) return { protocol, format, contentType };
    }
  throw invalidField(
    'content-type',
    given,
    'application/proto, application/json or application/grpc-web+proto',
    'UNSUPPORTED_CONTENT_TYPE',
  );
}
