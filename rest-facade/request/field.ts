import protobuf from 'protobufjs';
import * as z from 'zod';
import { invalidField, type Refusal, refuseField } from '../../runtime/errors/refusal.js';
import { shownValues } from '../protos/shown-values.js';
import { toTimestamp } from '../protos/timestamp.js';
import type { NamedValue } from './parse-target.js';

/** How a field is read: by its type in the proto; a double is a score or another part of one. */
type FieldType = 'string' | 'bytes' | 'bool' | 'score' | 'share' | 'uint32' | 'enum' | 'time';

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Words that a boolean takes besides `true` and `false`: `aligned` where `crop_aligned` is beside `crop`. */
  readonly words: readonly string[];
  /** Whether it has any number of such values. */
  readonly isList: boolean;
  /** What the proto says of it. */
  readonly definition: protobuf.Field;
}

const fieldTypes: Readonly<Record<string, FieldType>> = {
  string: 'string',
  bytes: 'bytes',
  bool: 'bool',
  double: 'share',
  uint32: 'uint32',
  '.google.protobuf.Timestamp': 'time',
};

/** Fields of the request message. What no RPC has yet is not supported, since no request could test it. */
export function readFields(request: protobuf.Type): Map<string, Field> {
  return new Map(
    request.fieldsArray.map((definition) => {
      const { name, type: protoType, resolvedType, repeated: isList } = definition;
      const type = resolvedType instanceof protobuf.Enum ? 'enum' : fieldTypes[resolvedType?.fullName ?? protoType];
      if (type === undefined) throw new Error(`field "${name}" is of type ${protoType}, which has no REST form yet`);
      const words = type === 'bool' ? wordsOf(name, request) : [];
      return [name, { name, type: name.endsWith('_score') ? 'score' : type, words, isList, definition }];
    }),
  );
}

function wordsOf(name: string, { fieldsArray }: protobuf.Type): string[] {
  const named = fieldsArray.filter((other) => other.type === 'bool' && other.name.startsWith(`${name}_`));
  return named.map((other) => other.name.slice(name.length + 1));
}

const time = z.iso.datetime({ offset: true });

const maxUint32 = 2 ** 32 - 1;

/**
 * Reads the value of a field from the text in a form, a query string, a path or a header.
 *
 * - bool: `true` or `false` in any case (Python's `str(True)` is `True`), `1` or `0`.
 * - numbers: plain decimal notation only, without exponent, sign and blanks; scores and shares with at most 6 decimals. The
 *   core checks their range.
 * - enumerations: the names that responses show; times as in RFC 3339, to the millisecond.
 * - an empty text is only valid for a string.
 *
 * Refusals quote the value, except for string fields, which may hold a password, and where it looks like several fields:
 * a password may be among these, behind an `&` that was encoded.
 *
 * @param name the one that the caller used, if it is another
 * @throws Refusal INVALID_SCORE, INVALID_FIELD
 */
export function parseText(field: Field, text: string, name = field.name): unknown {
  const invalid = (wish: string): Refusal =>
    /[&;=]/.test(text)
      ? refuseField(invalidReasonOf(field.type), name, `holds more than one value, want ${wish}`)
      : invalidField(name, text, wish, invalidReasonOf(field.type));
  switch (field.type) {
    case 'string':
      if (text.isWellFormed()) return text;
      throw refuseField('INVALID_FIELD', name, 'has an unpaired surrogate, want well-formed Unicode text');
    case 'bool':
      if (/^(true|1)$/i.test(text)) return true;
      if (/^(false|0)$/i.test(text)) return false;
      throw invalid(field.words.length === 0 ? 'true or false' : `true, false or ${field.words.join(' or ')}`);
    case 'score':
    case 'share':
      if (/^\d{1,9}(\.\d{1,6})?$/.test(text)) return Number(text);
      throw invalid('a number from 0 to 1 in plain decimal notation with at most 6 decimals');
    case 'uint32':
      // The core checks the field's own range, which is narrower.
      if (!/^\d{1,20}$/.test(text)) throw invalid('a whole number without a sign');
      if (Number(text) > maxUint32) throw invalid(`a whole number, at most ${maxUint32}`);
      return Number(text);
    case 'enum': {
      const enumeration = field.definition.resolvedType as protobuf.Enum;
      // All but the one that stands for an absent value.
      const known = [...shownValues(enumeration)].filter(([value]) => enumeration.values[value] !== 0);
      const [value] = known.find(([, name]) => name === text) ?? [];
      if (value !== undefined) return value;
      throw invalid(`one of ${known.map(([, name]) => name).join(', ')}`);
    }
    case 'time':
      if (time.safeParse(text).success) return toTimestamp(new Date(text));
      throw invalid('a time such as 2099-01-01T00:00:00Z');
    case 'bytes':
      throw invalid('a file, not a text');
  }
}

/** A JSON value of the field's own type; numbers may also be strings in plain decimal notation. */
export function parseMember(field: Field, value: unknown): unknown {
  if (field.isList) {
    if (!Array.isArray(value)) throw wrongType(field, value, 'an array');
    return value.map((item) => parseMember({ ...field, isList: false }, item));
  }
  if (typeof value === 'string' && field.type !== 'bool') return parseText(field, value);
  if (field.type === 'bool') {
    if (typeof value === 'boolean') return value;
    throw wrongType(field, value, 'true or false');
  }
  if (!['score', 'share', 'uint32'].includes(field.type)) throw wrongType(field, value, 'a string');
  if (typeof value !== 'number') throw wrongType(field, value, 'a number');
  // 1e400 is Infinity once parsed.
  if (!Number.isFinite(value)) throw wrongType(field, value, 'one that fits 64 bits');
  return parseText(field, String(value));
}

function wrongType({ name, type }: Field, value: unknown, wish: string): Refusal {
  return refuseField(invalidReasonOf(type), name, `is ${describeJson(value)}, want ${wish}`);
}

/** The reason for a value that is not of its field's type. */
function invalidReasonOf(type: FieldType): 'INVALID_FIELD' | 'INVALID_SCORE' {
  return type === 'score' ? 'INVALID_SCORE' : 'INVALID_FIELD';
}

/** The one value of a name, undefined when it is absent. @throws Refusal REPEATED_FIELD */
export function onlyValue(values: readonly NamedValue[], name: string): string | undefined {
  const given = values.filter((value) => value.name === name);
  if (given.length > 1) throw refuseField('REPEATED_FIELD', name, `is given ${given.length} times, want once`);
  return given[0]?.value;
}

/** What a JSON value is, without the value: it may be a password. */
export function describeJson(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'too large a number';
  return `a ${typeof value}`;
}
