import type protobuf from 'protobufjs';
import type { Field } from '../transcode/field.js';
import { commentOf, unwrap } from './definitions.js';

/** A JSON Schema, or any other part of the document. */
export type Schema = Readonly<Record<string, unknown>>;

/** Proto types by what JSON has for them; 64 bits do not fit a double and are shown as text. */
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

/**
 * The schema of a request field that a text, a form or a JSON member fills: its type, what its comment
 * states of its values, and the comment itself.
 */
export function requestSchema(field: Field, message: protobuf.Type): Schema {
  const comment = commentOf(message.fields[field.name]);
  const item = {
    ...scalarSchema(field.type),
    ...(field.type === 'string' && statedForm(comment)),
    ...(field.type === 'string' && isRequired(field, message) && { minLength: 1 }),
    ...(!field.type.endsWith('64') && field.type !== 'string' && statedRange(comment)),
  };
  return {
    ...(field.repeated ? { type: 'array', items: item } : item),
    description: describeField(comment),
  };
}

/** Whether the comment of a request field says that it must be there. */
export function isRequired(field: Field, message: protobuf.Type): boolean {
  return /\bRequired\b/.test(commentOf(message.fields[field.name]));
}

/** `0..1` in a comment is what the value may be. */
export function statedRange(comment: string): Schema {
  const [, minimum, maximum] = /(?<![\d.])(\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)/.exec(comment) ?? [];
  return minimum === undefined ? {} : { minimum: Number(minimum), maximum: Number(maximum) };
}

/** `at most 64 characters` and a regular expression in a comment are what a text may be. */
function statedForm(comment: string): Schema {
  const [, longest] = /\bat most (\d+) characters/.exec(comment) ?? [];
  const [, pattern] = /`(\^[^`]+\$)`/.exec(comment) ?? [];
  return {
    ...(longest !== undefined && { maxLength: Number(longest) }),
    ...(pattern !== undefined && { pattern }),
  };
}

/** The comment without the words that the document says in its own way. */
function describeField(comment: string): string {
  return unwrap(comment.replace(/\s*\bRequired\./, ' ').replace(/,\s*`\^[^`]+\$`/, '')).replaceAll(
    '  ',
    ' ',
  );
}

/** A size for people, rounded down to a tenth. */
export function formatBytes(bytes: number): string {
  const round = (unit: number) => Math.floor((bytes / unit) * 10) / 10;
  if (bytes >= 2 ** 20) return `${round(2 ** 20)} MiB`;
  return bytes >= 2 ** 10 ? `${round(2 ** 10)} KiB` : `${bytes} bytes`;
}
