/** A path of `google.api.http`, as Express takes it. */
export interface PathTemplate {
  /** `/v1/companies/:company/detection-score` */
  readonly path: string;
  /** Names of its variables, which are those of message fields. */
  readonly variables: readonly string[];
}

/**
 * Parses a path of `google.api.http`, such as `/v1/companies/{company}/detection-score`.
 * Of the template syntax, only `{name}` for one whole segment is supported; patterns (`{name=shelves/*}`),
 * wildcards and verbs (`:cancel`) are refused.
 * @see https://cloud.google.com/service-infrastructure/docs/service-management/reference/rpc/google.api#path-template-syntax
 */
export function parsePathTemplate(template: string): PathTemplate {
  if (!template.startsWith('/')) throw new Error(`path "${template}" must begin with "/"`);
  const variables: string[] = [];
  const parts = template.slice(1).split('/');
  const own = parts.map((part) => {
    const variable = /^\{([a-z][a-z0-9_]*)\}$/.exec(part)?.[1];
    if (variable !== undefined) {
      variables.push(variable);
      return `:${variable}`;
    }
    if (!/^[A-Za-z0-9._~-]+$/.test(part))
      throw new Error(`path "${template}": segment "${part}" is not a plain text or {name}`);
    return part;
  });
  return { path: `/${own.join('/')}`, variables };
}
