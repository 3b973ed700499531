import { z } from 'zod';

/*
 * The method options as proto-loader exposes them: parsed by protobufjs from the text of the proto,
 * never checked against the option's message. A repeated member that is given once is an object, not
 * an array; an absent member is absent; an enum value is its name; the key is the option's name as it
 * is written in the proto. So the shapes are checked here, strictly, for a misspelt member would
 * otherwise be silently ignored.
 */

/** A repeated member. */
const repeated = <T extends z.ZodType>(item: T) =>
  z.preprocess((given) => {
    if (given === undefined) return [];
    return Array.isArray(given) ? (given as unknown[]) : [given];
  }, z.array(item));

const pattern = {
  selector: z.string().optional(),
  get: z.string().optional(),
  put: z.string().optional(),
  post: z.string().optional(),
  delete: z.string().optional(),
  patch: z.string().optional(),
  body: z.string().default(''),
};

const httpRule = z.strictObject({
  ...pattern,
  additional_bindings: repeated(z.strictObject(pattern)),
});

const name = z.string().min(1);

const restOptions = z.strictObject({
  bindings: repeated(
    z.strictObject({
      path: name,
      multipart: z.strictObject({ file_part: name, file_field: name }).optional(),
      data_url: z.strictObject({ member: name, field: name }).optional(),
      query: repeated(
        z.strictObject({
          name,
          field: z.string().default(''),
          presence: z
            .enum(['PRESENCE_UNSPECIFIED', 'PRESENCE_WITH_VALUE', 'PRESENCE_BARE'])
            .default('PRESENCE_UNSPECIFIED'),
          invalid_reason: z.string().default(''),
        }),
      ),
      headers: repeated(z.strictObject({ name: z.string().regex(/^[a-z0-9-]+$/), field: name })),
    }),
  ),
});

/** One `google.api.http` rule, its own or an additional one. */
export type HttpBinding = Omit<z.infer<typeof httpRule>, 'additional_bindings'>;
/** What our own option adds to one path. */
export type RestBinding = z.infer<typeof restOptions>['bindings'][number];

/**
 * Reads `(google.api.http)` and `(imageanalysis.v1.rest)` out of a method's options. No binding where
 * the method has no REST face.
 * @throws Error, in words for whoever wrote the proto
 */
export function readMethodOptions(options: Readonly<Record<string, unknown>>): {
  http: HttpBinding[];
  rest: RestBinding[];
} {
  const http = parse(httpRule, options['(google.api.http)'], 'google.api.http');
  const rest = parse(
    restOptions,
    options['(rest)'] ?? options['(imageanalysis.v1.rest)'] ?? options['(.imageanalysis.v1.rest)'],
    'rest',
  );
  if (http === undefined) {
    if (rest !== undefined) throw new Error('option rest without google.api.http');
    return { http: [], rest: [] };
  }
  const { additional_bindings: additional, ...first } = http;
  return { http: [first, ...additional], rest: rest?.bindings ?? [] };
}

function parse<T extends z.ZodType>(schema: T, given: unknown, option: string) {
  if (given === undefined) return undefined;
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const mistakes = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`option ${option}: ${mistakes.join('; ')}`);
}
