import { z } from 'zod';

/*
 * Options as protobufjs, and so proto-loader, represents them: parsed from the text of the proto, but never
 * checked against the option's message. A repeated member given once is not an array; an absent member is
 * absent; an enum value is its name; the key is the option's name as written in the proto. So the shapes are
 * checked strictly here, since a misspelt member would otherwise be silently ignored.
 */

const ownPackage = 'imageanalysis.v1.';

/**
 * Reads one option; undefined where it is not given.
 * @param name with its package, but for our own options
 * @throws Error, in words for whoever wrote the proto
 */
export function readOption<T extends z.ZodType>(
  options: Readonly<Record<string, unknown>>,
  name: string,
  schema: T,
): z.infer<T> | undefined {
  const given = options[`(${name})`] ?? options[`(${ownPackage}${name})`] ?? options[`(.${ownPackage}${name})`];
  if (given === undefined) return undefined;
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const mistakes = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`option ${name}: ${mistakes.join('; ')}`);
}

/** A repeated member. */
export const repeated = <T extends z.ZodType>(item: T) =>
  z.preprocess((given) => {
    if (given === undefined) return [];
    return Array.isArray(given) ? (given as unknown[]) : [given];
  }, z.array(item));
