import { z } from 'zod';
import { codeOfReason, type Reason } from '../../runtime/errors/reasons.js';
import { readOption, repeated } from './read-option.js';

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
          description: z.string().default(''),
        }),
      ),
      headers: repeated(z.strictObject({ name: z.string().regex(/^[a-z0-9-]+$/), field: name })),
    }),
  ),
  refusals: repeated(z.enum(Object.keys(codeOfReason) as Reason[])),
});

/** One `google.api.http` rule, its own or an additional one. */
export type HttpBinding = Omit<z.infer<typeof httpRule>, 'additional_bindings'>;
/** What our own option adds for one path. */
export type RestBinding = z.infer<typeof restOptions>['bindings'][number];

/**
 * Reads `(google.api.http)` and `(imageanalysis.v1.rest)` from a method's options. No bindings if
 * the method is not available over REST.
 * @throws Error, in words for whoever wrote the proto
 */
export function readMethodOptions(options: Readonly<Record<string, unknown>>): {
  http: HttpBinding[];
  rest: RestBinding[];
  refusals: Reason[];
} {
  const http = readOption(options, 'google.api.http', httpRule);
  const rest = readOption(options, 'rest', restOptions);
  if (http === undefined) {
    if (rest !== undefined) throw new Error('option rest without google.api.http');
    return { http: [], rest: [], refusals: [] };
  }
  const { additional_bindings: additional, ...first } = http;
  return {
    http: [first, ...additional],
    rest: rest?.bindings ?? [],
    refusals: rest?.refusals ?? [],
  };
}
