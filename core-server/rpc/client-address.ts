import { isIP } from 'node:net';
import type { Metadata } from '@grpc/grpc-js';
import type { IsTrustedProxy } from '../../runtime/net/addresses.js';

/** Where a call came from, without the port, which differs for each connection. */
export function peerAddress(grpcCall: { getPeer(): string }): string {
  return grpcCall.getPeer().replace(/:\d+$/, '');
}

/** The caller's address: that of the peer, or if that is a trusted proxy, of the proxy's client. */
export function addressBehindProxy(peer: string, metadata: Metadata, isTrustedProxy: IsTrustedProxy): string {
  const [client] = metadata.get('x-forwarded-for');
  return typeof client === 'string' && isIP(client) !== 0 && isTrustedProxy(peer) ? client : peer;
}
