import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { IsTrustedProxy } from '../../runtime/net/addresses.js';

/**
 * The address of a caller: its connection's, or, if a trusted proxy connected, the last one in
 * `x-forwarded-for` that is not a trusted proxy's. Each proxy appends the address it got the request from, so
 * anything before that is only a claim.
 */
export function clientAddressOf(
  { headers, socket }: Pick<IncomingMessage, 'headers'> & { socket: Pick<Socket, 'remoteAddress'> },
  isTrustedProxy: IsTrustedProxy,
): string {
  let address = socket.remoteAddress ?? 'unknown';
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined) return address;
  const hops = String(forwarded).split(',');
  while (isTrustedProxy(address)) {
    const before = hops.pop()?.trim() ?? '';
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}
