import protobuf from 'protobufjs';
import { z } from 'zod';
import { readOption, repeated } from '../request/read-option.js';

/** What the options of `rest.proto` say about a field. */
export interface FieldOptions {
  /** In a request: required. */
  readonly required: boolean;
  /** In a response: whether it may be absent. */
  readonly isOptional: boolean;
  /** In a response: left out when empty, since it has no other way to be absent. */
  readonly isEmptyAbsent: boolean;
  /** Allowed values, in terms of JSON Schema. */
  readonly values: Readonly<Record<string, unknown>>;
  /** In the shape of proto-loader's messages; undefined if there is none. */
  readonly example: unknown;
  /** Name of the member in a response. */
  readonly name: string;
  /** The members of its message are shown in its place. */
  readonly isInline: boolean;
  /** Shown as text with so many decimals; undefined for a number that is shown as one. */
  readonly decimals: { readonly min: number; readonly max: number } | undefined;
  /** Shown as a clause of `message`. */
  readonly note: Note | undefined;
}

export type Note = z.infer<typeof restNote>;

const fieldRules = z.strictObject({
  required: z.boolean().default(false),
  on_request: z.boolean().default(false),
  max_length: z.int().positive().optional(),
  pattern: z.string().min(1).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  example: z.string().optional(),
});

const restNote = z.strictObject({
  one: z.string(),
  other: z.string(),
  list: z.string(),
  min_items: z.int().positive(),
});

const restField = z.strictObject({
  name: z.string().min(1).optional(),
  inline: z.boolean().default(false),
  min_decimals: z.int().min(0).default(0),
  max_decimals: z.int().positive().optional(),
  note: restNote.optional(),
});

const restMessage = z.strictObject({
  untimed: z.boolean().default(false),
  order: repeated(z.string()),
});

const restEnum = z.strictObject({ lower_case: z.boolean().default(false) });

/** @throws Error, in words for whoever wrote the proto */
export function fieldOptionsOf(field: protobuf.Field): FieldOptions {
  const { required, on_request, max_length, example, ...values } = optionOf(field, 'rules', fieldRules);
  const { name, inline, min_decimals, max_decimals, note } = optionOf(field, 'rest_field', restField);
  const hasPresence = field.partOf !== null || field.resolvedType instanceof protobuf.Type;
  const isEmptyAbsent = on_request && (field.repeated || !hasPresence);
  if (isEmptyAbsent && !field.repeated && !/^(string|bytes)$/.test(field.type))
    throw new Error(`${field.fullName.slice(1)}: on_request, want it optional`);
  return {
    required,
    isOptional: on_request || field.partOf !== null,
    isEmptyAbsent,
    values: { ...(max_length !== undefined && { maxLength: max_length }), ...values },
    example: example === undefined ? undefined : readExample(field, example),
    name: name ?? field.name,
    isInline: inline,
    decimals: max_decimals === undefined ? undefined : { min: min_decimals, max: max_decimals },
    note,
  };
}

/** Whether a response with this message has `process_time`, and the fields in the order of its members. */
export function messageOptionsOf(message: protobuf.Type): {
  readonly isTimed: boolean;
  readonly fields: readonly protobuf.Field[];
} {
  const { untimed, order } = optionOf(message, 'rest_message', restMessage);
  const fields = message.fieldsArray;
  const isWhole = order.length === fields.length && fields.every(({ name }) => order.includes(name));
  if (order.length > 0 && !isWhole)
    throw new Error(`${message.fullName.slice(1)}: order, want the names of all its fields, once`);
  const ordered = order.flatMap((name) => message.fields[name] ?? []);
  return { isTimed: !untimed, fields: order.length > 0 ? ordered : fields };
}

/** The values of an enumeration by their names in the proto, which need a prefix there. */
export function shownValues(enumeration: protobuf.Enum): ReadonlyMap<string, string> {
  const { lower_case: isLowerCase } = optionOf(enumeration, 'rest_enum', restEnum);
  const prefix = `${enumeration.name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}_`;
  return new Map(
    Object.keys(enumeration.values).map((value) => {
      const short = value.replace(prefix, '');
      return [value, isLowerCase ? short.toLowerCase() : short];
    }),
  );
}

function optionOf<T extends z.ZodType>(object: protobuf.ReflectionObject, name: string, schema: T): z.infer<T> {
  // One item per option, as written.
  const given = Object.assign({}, ...Object.values(object.parsedOptions ?? {})) as object;
  try {
    return readOption({ ...given }, name, schema) ?? schema.parse({});
  } catch (error) {
    throw new Error(`${object.fullName.slice(1)}: ${(error as Error).message}`, { cause: error });
  }
}

function readExample(field: protobuf.Field, text: string): unknown {
  if (field.type === 'bytes') return Buffer.from(text, 'base64');
  if (field.type === 'string' || field.resolvedType instanceof protobuf.Enum) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${field.fullName.slice(1)}: example is "${text}", want a ${field.type}`, {
      cause: error,
    });
  }
}
