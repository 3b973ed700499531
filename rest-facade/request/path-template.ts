/** One part of a path between slashes: a fixed text, or a variable named as its message field. */
export type Segment = { readonly text: string } | { readonly variable: string };

/**
 * Parses a path of `google.api.http`, such as `/v1/companies/{company}/detection-score`.
 * Of the template syntax, only `{name}` for one whole segment is supported; patterns (`{name=shelves/*}`),
 * wildcards and verbs (`:cancel`) are refused.
 * @see https://cloud.google.com/service-infrastructure/docs/service-management/reference/rpc/google.api#path-template-syntax
 */
export function parsePathTemplate(template: string): Segment[] {
  if (!template.startsWith('/')) throw new Error(`path "${template}" must begin with "/"`);
  return template
    .slice(1)
    .split('/')
    .map((part) => {
      const variable = /^\{([a-z][a-z0-9_]*)\}$/.exec(part)?.[1];
      if (variable !== undefined) return { variable };
      if (!/^[A-Za-z0-9._~-]+$/.test(part))
        throw new Error(`path "${template}": segment "${part}" is not a plain text or {name}`);
      return { text: part };
    });
}

/** Segments of a raw path for {@link matchPath}, split once for all templates; none without a leading slash. */
export const splitPath = (rawPath: string): readonly string[] =>
  rawPath.startsWith('/') ? rawPath.slice(1).split('/') : [];

/**
 * Variables by name, still percent-encoded, of a path split by {@link splitPath}; undefined when it does not fit.
 * A variable takes one segment that is not empty, so that an encoded slash stays inside it.
 */
export function matchPath(
  segments: readonly Segment[],
  parts: readonly string[],
): Map<string, string> | undefined {
  if (parts.length !== segments.length) return undefined;
  const variables = new Map<string, string>();
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? '';
    if ('variable' in segment) {
      if (part === '') return undefined;
      variables.set(segment.variable, part);
    } else if (part !== segment.text) return undefined;
  }
  return variables;
}
