import type protobuf from 'protobufjs';
import { z } from 'zod';
import { readOption } from '../request/read-option.js';

/** What the proto says about a field beyond its type; `values` in terms of JSON Schema. */
export interface FieldRules {
  /** In a request: required. */
  readonly required: boolean;
  /** In a response: only present if the request asks for it. */
  readonly onRequest: boolean;
  readonly values: Readonly<Record<string, unknown>>;
}

const fieldRules = z
  .strictObject({
    required: z.boolean().default(false),
    on_request: z.boolean().default(false),
    max_length: z.int().positive().optional(),
    pattern: z.string().min(1).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
  })
  .transform(({ required, on_request: onRequest, max_length: maxLength, ...values }) => ({
    required,
    onRequest,
    values: { ...(maxLength !== undefined && { maxLength }), ...values },
  }));

/**
 * Reads `(imageanalysis.v1.rules)` from a field's options.
 * @throws Error, in words for whoever wrote the proto
 */
export function rulesOf(field: protobuf.Field | undefined): FieldRules {
  // One item per option, as written.
  const options = Object.values(field?.parsedOptions ?? {});
  const given = Object.assign({}, ...options) as Record<string, unknown>;
  try {
    return readOption(given, 'rules', fieldRules) ?? fieldRules.parse({});
  } catch (error) {
    throw new Error(`${field?.fullName.slice(1)}: ${(error as Error).message}`, { cause: error });
  }
}
