import type { Http2Server } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/** The HTTP/2 servers of a gRPC server whose port is bound; a private member of grpc-js. */
export function http2ServersOf(server: Server): Http2Server[] {
  const { http2Servers } = server as unknown as { http2Servers: Map<Http2Server, unknown> };
  return [...http2Servers.keys()];
}
