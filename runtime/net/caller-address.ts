import { isIPv6 } from 'node:net';

/**
 * The part of a peer's address that identifies one caller: without the port, which differs for each
 * connection; for IPv6 only the first 64 bits, which is what a provider assigns to one customer.
 */
export function callerAddress(peer: string): string {
  const host = peer.replace(/^(ipv4|ipv6):/, '').replace(/^\[?([^\]]*?)\]?:\d+$/, unlessBareIPv6);
  const address = host.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  return isIPv6(address) ? network64(address) : address;
}

// `fe80::1:8080` is an address that happens to end like one with a port.
function unlessBareIPv6(peer: string, host: string): string {
  return isIPv6(peer) ? peer : host;
}

function network64(address: string): string {
  const [head = '', tail = ''] = address.toLowerCase().split('::');
  const left = head.split(':').filter(Boolean);
  const right = tail.split(':').filter(Boolean);
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = address.includes('::') ? [...left, ...zeros, ...right] : left;
  return `${groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
