import type protobuf from 'protobufjs';
import type { Field } from '../transcode/field.js';
import { commentOf } from './definitions.js';
import { rulesOf } from './field-rules.js';

/** A JSON Schema, or any other part of the document. */
export type Schema = Readonly<Record<string, unknown>>;

/** JSON types for proto types; 64 bits do not fit a double and are shown as strings. */
const jsonTypes: Readonly<Record<string, Schema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  double: { type: 'number', format: 'double' },
  float: { type: 'number', format: 'float' },
  int32: { type: 'integer', format: 'int32' },
  uint32: { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 },
  int64: { type: 'string', pattern: '^-?\\d+$' },
  uint64: { type: 'string', pattern: '^\\d+$' },
  bytes: { type: 'string', contentEncoding: 'base64' },
};

/** The schema of a scalar; undefined for messages and enums. */
export function scalarSchema(type: string): Schema | undefined {
  return jsonTypes[type];
}

/** The schema of a request field that is filled by a string, a form or a JSON member. */
export function requestSchema(field: Field, message: protobuf.Type): Schema {
  const definition = message.fields[field.name];
  const { required, values } = rulesOf(definition);
  const item = {
    ...scalarSchema(field.type),
    ...values,
    ...(field.type === 'string' && required && { minLength: 1 }),
  };
  return {
    ...(field.repeated ? { type: 'array', items: item } : item),
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
