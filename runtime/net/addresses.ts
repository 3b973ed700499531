import { BlockList, isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';

/** `host:port`, with brackets around an IPv6 address (RFC 3986, 3.2.2). */
export function formatAddress(address: { readonly host: string; readonly port: number }): string {
  const { host, port } = address;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** What of an address identifies one caller: of IPv6 the first 64 bits, which a provider assigns to one customer. */
export function callerAddress(given = ''): string {
  const text = given.replace(/%.*$/, '');
  if (isIP(text) === 0) return text;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${text}/64`).toString()}/64`;
}

/** An address as some proxies forward it, Azure's gateway and IIS among them: `192.0.2.1:5678` or `[2001:db8::1]:5678`. */
export function withoutPort(text: string): string {
  const [, v4, v6] = /^(?:([\d.]+)|\[([^\]]+)\])(?::\d+)?$/.exec(text) ?? [];
  return v4 ?? v6 ?? text;
}

/** Whether an address, with a port or without, belongs to a facade or proxy that is trusted to name its client. */
export type IsTrustedProxy = (address: string) => boolean;

/** A setting with addresses and networks of proxies, such as `127.0.0.0/8, ::1, 10.2.0.0/16`. */
export const proxyList = z.string().transform((list, context): IsTrustedProxy => {
  const addresses = new BlockList();
  for (const part of list.split(',').map((text) => text.trim())) {
    if (part === '') continue;
    const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
    const bits = isIPv6(address) ? 128 : 32;
    const prefix = Number(length ?? bits);
    if (isIP(address) === 0 || prefix > bits) {
      context.addIssue('want addresses and networks such as 127.0.0.0/8, ::1');
      return z.NEVER;
    }
    addresses.addSubnet(address, prefix, familyOf(address));
  }
  return (forwarded) => {
    const address = withoutPort(forwarded);
    return isIP(address) !== 0 && addresses.check(address, familyOf(address));
  };
});

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
