/** `host:port`, with brackets around an IPv6 address (RFC 3986, 3.2.2). */
export function formatAddress({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
