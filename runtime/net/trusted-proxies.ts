import { BlockList, isIP } from 'node:net';
import { z } from 'zod';

/** Whether an address, without a port, belongs to a facade or proxy that is trusted to name its client. */
export type IsTrustedProxy = (address: string) => boolean;

/**
 * Reads a list of addresses and networks, such as `127.0.0.0/8, ::1, 10.2.0.0/16`.
 *
 * @throws Error naming the first part that is neither.
 */
export function parseTrustedProxies(list: string): IsTrustedProxy {
  const addresses = new BlockList();
  for (const part of list.split(',').map((text) => text.trim())) {
    if (part !== '') add(addresses, part);
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && addresses.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
}

function add(addresses: BlockList, part: string): void {
  const [address = '', prefix] = part.split('/');
  const family = isIP(address);
  const bits = family === 6 ? 128 : 32;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : NaN;
  if (family === 0 || !(length <= bits)) {
    throw new Error(`"${part}" is no address or network, want one such as 10.2.0.0/16`);
  }
  addresses.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4');
}

/** A setting that is such a list. */
export const proxyList = z
  .string()
  .refine(isProxyList, 'want addresses and networks such as 127.0.0.0/8, ::1');

function isProxyList(text: string): boolean {
  try {
    parseTrustedProxies(text);
    return true;
  } catch {
    return false;
  }
}
