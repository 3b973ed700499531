import protobuf from 'protobufjs';
import type { FieldRules, RestField, RestFile, RestMessage } from '../../generated/imageanalysis/v1/rest.js';
import { optionOf } from './read-option.js';
import { toTimestamp } from './timestamp.js';

type FieldOptions = ReturnType<typeof readFieldOptions>;

/** Read once: while the facade starts, those of a field are asked for dozens of times. */
const known = new WeakMap<protobuf.Field, FieldOptions>();

/** What the options of `rest.proto` say about a field. @throws Error, in words for whoever wrote the proto */
export function fieldOptionsOf(field: protobuf.Field): FieldOptions {
  const options = known.get(field) ?? readFieldOptions(field);
  known.set(field, options);
  return options;
}

function readFieldOptions(field: protobuf.Field) {
  const { required, onRequest, maxLength, pattern, minimum, maximum, example } = optionOf<FieldRules>(field, 'rules');
  const { name, inline, minDecimals, maxDecimals, note, header } = optionOf<RestField>(field, 'rest_field');
  const hasPresence = field.partOf !== null || field.resolvedType instanceof protobuf.Type;
  const isEmptyAbsent = onRequest && (field.repeated || !hasPresence);
  if (isEmptyAbsent && !field.repeated && !/^(string|bytes)$/.test(field.type))
    throw new Error(`${field.fullName.slice(1)}: on_request, want it optional`);
  return {
    required,
    /** In a response: whether it may be absent. */
    isOptional: onRequest || field.partOf !== null,
    /** In a response: left out when empty, since it has no other way to be absent. */
    isEmptyAbsent,
    /** Allowed values, in terms of JSON Schema. */
    values: {
      ...(maxLength > 0 && { maxLength }),
      ...(pattern !== '' && { pattern }),
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
    },
    /** In the shape of proto-loader's messages; undefined if there is none. */
    example: example === '' ? undefined : readExample(field, example),
    name: name || field.name,
    /** The members of its message are shown in its place. */
    isInline: inline,
    /** Shown as text with so many decimals; undefined for a number that is shown as one. */
    decimals: maxDecimals === 0 ? undefined : { min: minDecimals, max: maxDecimals },
    /** Shown as a clause of `message`. */
    note,
    /** Shown as this header beside a file; empty for all others. */
    header,
  };
}

/** The file that a response with this message is in place of JSON, if it is one. */
export function fileOptionsOf(message: protobuf.Type) {
  const { file } = optionOf<RestMessage>(message, 'rest_message');
  return file && readFile(message, file);
}

function readFile(message: protobuf.Type, { body, type, mediaRange }: RestFile) {
  if (message.fields[body]?.type !== 'bytes' || message.fields[type]?.type !== 'string')
    throw new Error(`${message.fullName.slice(1)}: file, want a field of bytes and one of type string for its type`);
  const headers = message.fieldsArray
    .map((field) => ({ name: fieldOptionsOf(field).header, field }))
    .filter(({ name }) => name !== '');
  return {
    /** Names of the fields that are the body, and its content type. */
    body,
    type,
    /** What its content types have in common. */
    mediaRange,
    /** Headers by their names, and the fields that they show. */
    headers,
  };
}

function readExample(field: protobuf.Field, text: string): unknown {
  if (field.type === 'bytes') return Buffer.from(text, 'base64');
  if (field.resolvedType?.fullName === '.google.protobuf.Timestamp') return toTimestamp(new Date(text));
  if (field.type === 'string' || field.resolvedType instanceof protobuf.Enum) return text;
  return JSON.parse(text);
}
