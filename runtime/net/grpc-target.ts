import { isIP } from 'node:net';

export const grpcTargetWish = 'want host:port or a gRPC target such as dns:///core.internal:50051';

/** Whether this is an address of a gRPC service: `host:port`, or with a scheme that gRPC resolves; not a URL. */
export function isGrpcTarget(text: string): boolean {
  const [, scheme, rest = ''] = /^(dns|ipv4|ipv6|unix):(\S+)$/.exec(text) ?? [];
  switch (scheme) {
    case 'unix':
      return true;
    case 'ipv4':
    case 'ipv6':
      return rest.split(',').every((address) => isIP(hostOf(address)) === Number(scheme.at(-1)));
    case 'dns':
      // Between the slashes, the name server to ask.
      return hostOf(rest.replace(/^\/\/[^/]*\//, '')) !== '';
    default:
      return hostOf(text) !== '';
  }
}

/** Whether it has IP addresses and no name. */
export function isNumericTarget(target: string): boolean {
  return /^(ipv[46]:|(dns:\/\/\/)?(\[|[\d.]+:\d+$))/.test(target);
}

/** The host of `host:port`, without the brackets of an IPv6 address; empty if it is not that. */
function hostOf(address: string): string {
  const [, numeric = '', name = '', port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/,[\]]+)):(\d+)$/.exec(address) ?? [];
  if (!(Number(port) >= 1 && Number(port) <= 65_535)) return '';
  return numeric === '' ? name : isIP(numeric) === 6 ? numeric : '';
}
