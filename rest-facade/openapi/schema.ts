import type protobuf from 'protobufjs';
import type { Field } from '../request/field.js';
import { commentOf } from './definitions.js';
import { rulesOf } from './field-rules.js';

/** A JSON Schema, or any other part of the document. */
export type Schema = Readonly<Record<string, unknown>>;

/** JSON types for the proto types that requests and answers have. */
const jsonTypes: Readonly<Record<string, Schema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  double: { type: 'number', format: 'double' },
  uint32: { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 },
  bytes: { type: 'string', contentEncoding: 'base64' },
};

/**
 * The schema of a scalar field.
 * @throws Error for a type that no field has yet
 */
export function scalarSchema(field: protobuf.Field | undefined): Schema {
  const schema = jsonTypes[field?.type ?? ''];
  if (schema === undefined)
    throw new Error(
      `${field?.fullName.slice(1)} is of type ${field?.type}, which has no schema yet`,
    );
  return { ...schema, ...rulesOf(field).values };
}

/** The schema of a request field that is filled by a string, a form or a JSON member. */
export function requestSchema(field: Field, message: protobuf.Type): Schema {
  const definition = message.fields[field.name];
  return {
    ...scalarSchema(definition),
    ...(field.type === 'string' && isRequired(field, message) && { minLength: 1 }),
    description: commentOf(definition),
  };
}

/** Whether a request field is required. */
export function isRequired(field: Field, message: protobuf.Type): boolean {
  return rulesOf(message.fields[field.name]).required;
}

/** A size for people, rounded down to a tenth. */
export function formatBytes(bytes: number): string {
  const round = (unit: number) => Math.floor((bytes / unit) * 10) / 10;
  if (bytes >= 2 ** 20) return `${round(2 ** 20)} MiB`;
  return bytes >= 2 ** 10 ? `${round(2 ** 10)} KiB` : `${bytes} bytes`;
}
