import type protobuf from 'protobufjs';
import { z } from 'zod';
import { readOption } from '../transcode/read-option.js';

/** What the proto states of a field beyond its type; `values` in the words of JSON Schema. */
export interface FieldRules {
  /** Of a request: it must be there. */
  readonly required: boolean;
  /** Of an answer: it is there only where the request wants it. */
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
 * Reads `(imageanalysis.v1.rules)` out of a field's options.
 * @throws Error, in words for whoever wrote the proto
 */
export function rulesOf(field: protobuf.Field | undefined): FieldRules {
  // Listed as they were written, one an item.
  const options = Object.values(field?.parsedOptions ?? {});
  const given = Object.assign({}, ...options) as Record<string, unknown>;
  try {
    return readOption(given, 'rules', fieldRules) ?? fieldRules.parse({});
  } catch (error) {
    throw new Error(`${field?.fullName.slice(1)}: ${(error as Error).message}`, { cause: error });
  }
}
