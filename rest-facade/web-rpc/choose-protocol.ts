import { invalidField } from '../../runtime/errors/refusal.js';
import { connect } from './connect.js';
import { grpcWeb } from './grpc-web.js';
import type { WebProtocol } from './web-protocol.js';

/** A protocol, and how it has messages. */
export interface Chosen {
  readonly protocol: WebProtocol;
  readonly format: 'proto' | 'json';
  /** Of a successful response. */
  readonly contentType: string;
}

const known: readonly Chosen[] = [connect, grpcWeb].flatMap((protocol) =>
  (['proto', 'json'] as const).map((format) => ({ protocol, format, contentType: protocol.contentType + format })),
);

/**
 * Tells the protocol by the content type of a request.
 * @throws Refusal UNSUPPORTED_CONTENT_TYPE
 */
export function chooseProtocol(given = ''): Chosen {
  const [named = ''] = given.toLowerCase().split(/\s*;/, 1);
  // The one that may leave out that its messages are Protobuf.
  const type = named === 'application/grpc-web' ? `${named}+proto` : named;
  const chosen = known.find(({ contentType }) => contentType === type);
  if (chosen !== undefined) return chosen;
  const wish = 'application/proto, application/json or application/grpc-web+proto';
  throw invalidField('content-type', given, wish, 'UNSUPPORTED_CONTENT_TYPE');
}
