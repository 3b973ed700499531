import type { TestService } from './service.js';

/** What came over HTTP. */
export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** Where requests go, and the key that they have, none where it is empty. */
type Target = Pick<TestService, 'rest' | 'apiKey'>;

export function get<Body>(target: Target, path: string): Promise<Answer<Body>> {
  return send(target, 'GET', path);
}

export function post<Body>(
  target: Target,
  path: string,
  body: FormData | string,
  headers?: Record<string, string>,
): Promise<Answer<Body>> {
  return send(target, 'POST', path, body, headers);
}

export async function send<Body>(
  { rest, apiKey }: Target,
  method: string,
  path: string,
  body: FormData | string | null = null,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> {
  const key = apiKey === '' ? {} : { apikey: apiKey };
  const answer = await fetch(rest + path, { method, body, headers: { ...key, ...headers } });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body };
}
