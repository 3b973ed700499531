import { z } from 'zod';

/**
 * Validates the contents of a model file.
 *
 * @param what it is, for the message
 * @throws Error that names every mistake
 */
export function parseModelFile<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`mistakes in ${what}:\n${z.prettifyError(parsed.error)}`);
}
