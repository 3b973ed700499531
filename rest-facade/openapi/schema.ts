import protobuf from 'protobufjs';
import { fieldOptionsOf } from '../protos/field-options.js';
import { shownValues } from '../protos/shown-values.js';
import { scalarOf } from '../response/scalars.js';

/** A JSON Schema, or any other part of the document. */
export type Schema = Readonly<Record<string, unknown>>;

/** The schema of a request field that is filled by a string, a form or a JSON member. */
export function requestSchema(field: protobuf.Field): Schema {
  const { required } = fieldOptionsOf(field);
  return {
    ...valueSchema(field),
    ...(field.type === 'string' && required && { minLength: 1 }),
    description: commentOf(field),
  };
}

/** The schema of a field's value, if that is no message. */
export function valueSchema(field: protobuf.Field): Schema {
  const { resolvedType, repeated } = field;
  const { decimals, values } = fieldOptionsOf(field);
  if (decimals !== undefined) {
    const described = `as text with ${decimals.min} to ${decimals.max} decimals.`;
    const description = `${commentOf(field).replace(/[.]$/, '')}, ${described}`;
    return { type: 'string', ...values, description };
  }
  const item =
    resolvedType instanceof protobuf.Enum ? enumSchema(resolvedType) : { ...scalarOf(field).schema, ...values };
  return repeated ? listOf(item) : item;
}

/** A response of the document, with the header that all of them have. */
export function describeAnswer(description: string, content: Schema, headers: Schema = {}): Schema {
  const requestId = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };
  return { description, headers: { ...requestId, ...headers }, content };
}

export const listOf = (items: Schema): Schema => ({ type: 'array', items });

/** All values but the one that is never sent. */
function enumSchema(enumeration: protobuf.Enum): Schema {
  const shown = [...shownValues(enumeration)]
    .filter(([value]) => enumeration.values[value] !== 0)
    .map(([value, name]) => ({ const: name, description: unwrap(enumeration.comments[value] ?? '') }));
  return { type: 'string', enum: shown.map((value) => value.const), oneOf: shown };
}

/** The comment of anything in a proto, its lines joined into paragraphs. */
export function commentOf(object: { readonly comment?: string | null }): string {
  return unwrap(object.comment ?? '');
}

/** Joins the lines of a paragraph; an empty line still ends one. */
export function unwrap(comment: string): string {
  return comment.replaceAll(/(?<!\n)\n(?!\n)/g, ' ').trim();
}

/** A size for people, rounded down to a tenth. */
export function formatBytes(bytes: number): string {
  const round = (unit: number) => Math.floor((bytes / unit) * 10) / 10;
  if (bytes >= 2 ** 20) return `${round(2 ** 20)} MiB`;
  return bytes >= 2 ** 10 ? `${round(2 ** 10)} KiB` : `${bytes} bytes`;
}
