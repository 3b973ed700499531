export const postgresUrlWish =
  'want an address such as postgres://user:password@host:5432/database, with / in the password as %2F and TLS as ?sslmode=verify-full';

/** What pg reads. It ignores any other, so that a misspelt one would mean no TLS. */
const tlsParameters: ReadonlySet<string> = new Set([
  'ssl',
  'sslmode',
  'sslcert',
  'sslkey',
  'sslrootcert',
  'sslnegotiation',
]);

/** libpq's form of a Unix socket, postgres://user:password@/database?host=/run/postgresql, is no URL without a host. */
const withHost = (text: string): string => (URL.canParse(text) ? text : text.replace('@/', '@localhost/'));

/** Whether pg understands it, and takes no part of the password for something else. */
export function isPostgresUrl(text: string): boolean {
  const address = withHost(text);
  if (!/^postgres(ql)?:\/\//.test(address) || !URL.canParse(address)) return false;
  const url = new URL(address);
  // In postgres://user:12/34@host/database, the host would be "user" and the rest a name to be shown.
  if (/@/.test(url.pathname + url.search + url.hash)) return false;
  const isKnown = ([name, value]: [string, string]): boolean =>
    !/^ssl/i.test(name) || (tlsParameters.has(name) && value !== '');
  return [...url.searchParams].every(isKnown);
}

/**
 * The same address with `sslmode=verify-full` for the modes that pg takes for it. It warns that its next version will
 * check less in these.
 */
export function withVerifiedTls(address: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(address)) return address;
  return address.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/** Where a valid one is, without user and password. */
export function describePostgresUrl(text: string): string {
  const { searchParams, host, pathname } = new URL(withHost(text));
  return `postgres://${searchParams.get('host') ?? host}${pathname}`;
}
