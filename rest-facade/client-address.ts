import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { IsTrustedProxy } from '../runtime/trusted-proxies.js';

/**
 * The address of a caller: that of its connection or, where a trusted proxy connected, the last one in
 * `x-forwarded-for` that is no trusted proxy's. Each proxy adds whom it got the request from, so that what
 * stands before that is only claimed.
 */
export function clientAddressOf(
  { headers, socket }: Pick<IncomingMessage, 'headers'> & { socket: Pick<Socket, 'remoteAddress'> },
  isTrustedProxy: IsTrustedProxy,
): string {
  let address = socket.remoteAddress ?? 'unknown';
  if (!isTrustedProxy(address)) return address;
  const hops = String(headers['x-forwarded-for'] ?? '').split(',');
  while (isTrustedProxy(address)) {
    const before = hops.pop()?.trim() ?? '';
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}
