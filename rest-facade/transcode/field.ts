import { clip, quote, type Refusal, refuse } from '../../runtime/refusal.js';
import type { NamedValue } from './parse-target.js';

/** Types of message fields that a string can fill. */
export type FieldType =
  'string' | 'bytes' | 'bool' | 'double' | 'int32' | 'uint32' | 'int64' | 'uint64';

/** A field of a request message. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly repeated: boolean;
}

const rangeOf = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
} as const;

/** Scores always have a stricter form and their own reason. */
export function isScore(field: Field): boolean {
  return field.type === 'double' && field.name.endsWith('_score');
}

/**
 * Reads the value of a field from the text in a form, a query string, a path or a header.
 *
 * - bool: `true` or `false` in any case (Python's `str(True)` is `True`), `1` or `0`.
 * - numbers: plain decimal notation only; no exponent, no sign except a leading minus, no blanks.
 * - scores: in addition, no sign and at most 6 decimals. The core checks their range.
 * - an empty text is only valid for a string.
 *
 * Refusals quote the value, except for string fields, which may hold a password.
 *
 * @param from the name that the caller used, and the reason to refuse with where one was declared.
 * @throws Refusal INVALID_SCORE, INVALID_FIELD, or the declared reason
 */
export function parseText(
  field: Field,
  text: string,
  from: { name: string; invalidReason?: InvalidReason | undefined },
): unknown {
  const invalid = (wish: string): Refusal =>
    refuse(
      from.invalidReason ?? (isScore(field) ? 'INVALID_SCORE' : 'INVALID_FIELD'),
      `${from.name} is ${quote(text)}, want ${wish}`,
      { details: { field: from.name, value: clip(text) } },
    );
  switch (field.type) {
    case 'string':
      if (!/\p{Surrogate}/u.test(text)) return text;
      throw refuse(
        'INVALID_FIELD',
        `${from.name} has an unpaired surrogate, want well-formed Unicode text`,
        {
          details: { field: from.name },
        },
      );
    case 'bool':
      if (/^(true|1)$/i.test(text)) return true;
      if (/^(false|0)$/i.test(text)) return false;
      throw invalid('true or false');
    case 'double':
      if (isScore(field)) {
        if (/^\d{1,9}(\.\d{1,6})?$/.test(text)) return Number(text);
        throw invalid('a number from 0 to 1 in plain decimal notation with at most 6 decimals');
      }
      if (/^-?\d{1,300}(\.\d{1,300})?$/.test(text)) return Number(text);
      throw invalid('a number in plain decimal notation');
    case 'int32':
    case 'uint32':
    case 'int64':
    case 'uint64': {
      const [smallest, largest] = rangeOf[field.type];
      const value = /^-?\d{1,20}$/.test(text) ? BigInt(text) : undefined;
      // The core checks the field's own range, which is narrower.
      if (value === undefined) throw invalid('a whole number');
      if (value < smallest) throw invalid(`a whole number, at least ${smallest}`);
      if (value > largest) throw invalid(`a whole number, at most ${largest}`);
      // 64 bits do not fit a double; protobufjs accepts them as strings.
      return field.type.endsWith('64') ? value.toString() : Number(value);
    }
    case 'bytes':
      throw invalid('a file, not a text');
  }
}

/** Reasons that a binding may declare for a value that is not of its field's type. */
export const invalidReasons = ['INVALID_FIELD', 'INVALID_SCORE'] as const;
export type InvalidReason = (typeof invalidReasons)[number];

/**
 * The one value of a name, undefined when it is absent.
 * @throws Refusal REPEATED_FIELD
 */
export function onlyValue(values: readonly NamedValue[], name: string): string | undefined {
  const given = values.filter((value) => value.name === name);
  if (given.length > 1)
    throw refuse('REPEATED_FIELD', `${name} is given ${given.length} times, want once`, {
      details: { field: name },
    });
  return given[0]?.value;
}
