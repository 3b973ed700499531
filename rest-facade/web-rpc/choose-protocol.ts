import { invalidField } from '../../runtime/errors/refusal.js';
import { connect } from './connect.js';
import { grpcWeb } from './grpc-web.js';

const known = [connect, grpcWeb].flatMap((protocol) =>
  (['proto', 'json'] as const).map((format) => ({ protocol, format, contentType: protocol.contentType + format })),
);

/**
 * Tells the protocol by the content type of a request.
 * @returns it, how it has messages, and the content type of a successful response
 * @throws Refusal UNSUPPORTED_CONTENT_TYPE
 */
export function chooseProtocol(given = '') {
  const [beforeParameters = ''] = given.toLowerCase().split(';', 1);
  const named = beforeParameters.trimEnd();
  // The one that may leave out that its messages are Protobuf.
  const type = named === 'application/grpc-web' ? `${named}+proto` : named;
  const chosen = known.find(({ contentType }) => contentType === type);
  if (chosen !== undefined) return chosen;
  const wish = 'application/proto, application/json or application/grpc-web+proto';
  throw invalidField('content-type', given, wish, 'UNSUPPORTED_CONTENT_TYPE');
}
