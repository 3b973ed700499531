import { isIP } from 'node:net';

export const grpcTargetWish = 'want host:port or a gRPC target such as dns:///core.internal:50051';

/** Whether this is an address of a gRPC service: `host:port`, or with a scheme that gRPC resolves; not a URL. */
export function isGrpcTarget(text: string): boolean {
  const [, scheme, rest = ''] = /^(ipv4|ipv6|unix):(\S+)$/.exec(text) ?? [];
  if (scheme === 'unix') return true;
  if (scheme === undefined) return hostOf(withoutResolver(text)) !== '';
  return rest.split(',').every((address) => isIP(hostOf(address)) === Number(scheme.at(-1)));
}

/** Whether it has IP addresses and no name. */
export function isNumericTarget(target: string): boolean {
  return /^ipv[46]:/.test(target) || isIP(hostOf(withoutResolver(target))) !== 0;
}

/** A target of DNS as `host:port`. Between the slashes is the name server to ask. */
function withoutResolver(target: string): string {
  return target.replace(/^dns:(\/\/[^/]*\/)?/, '');
}

/** The host of `host:port`, without the brackets of an IPv6 address; empty if it is not that. */
function hostOf(address: string): string {
  const [, numeric = '', name = '', port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/,[\]]+)):(\d+)$/.exec(address) ?? [];
  if (!(Number(port) >= 1 && Number(port) <= 65_535)) return '';
  return numeric === '' ? name : isIP(numeric) === 6 ? numeric : '';
}
