import { ConfigError } from '../../runtime/settings.js';

export const postgresUrlWish =
  'want an address such as postgres://user:password@host:5432/database';

/** Undefined if pg would not understand it. */
export function parsePostgresUrl(text: string): URL | undefined {
  // libpq's form of a Unix socket, postgres://user:password@/database?host=/run/postgresql, is no URL
  // without a host.
  const url = URL.canParse(text) ? text : text.replace('@/', '@localhost/');
  return /^postgres(ql)?:\/\//.test(url) && URL.canParse(url) ? new URL(url) : undefined;
}

/**
 * Where it is, without user and password.
 *
 * @throws ConfigError
 */
export function describePostgresUrl(text: string): string {
  const url = parsePostgresUrl(text);
  if (url === undefined) throw new ConfigError(`DATABASE_URL is set: ${postgresUrlWish}`);
  return `postgres://${url.searchParams.get('host') ?? url.host}${url.pathname}`;
}
