import protobuf from 'protobufjs';
import { fromTimestamp, type Timestamp } from '../protos/timestamp.js';
import { writeBase64 } from './late-base64.js';

/** How JSON shows a scalar type of the protos: its schema, and its text. */
export interface Scalar {
  readonly schema: Readonly<Record<string, unknown>>;
  /**
   * @param value as proto-loader gives it
   * @param later takes bytes, whose base64 is made later
   */
  readonly write: (value: never, later: Buffer[]) => string;
}

/** Those that the protos have. Not `float`, whose 0.92 would be shown as 0.9200000166893005. */
const scalars: Readonly<Record<string, Scalar>> = {
  string: { schema: { type: 'string' }, write: (value: string) => JSON.stringify(value) },
  bool: { schema: { type: 'boolean' }, write: (value: boolean) => String(value) },
  double: { schema: { type: 'number', format: 'double' }, write: writeFloat },
  bytes: { schema: { type: 'string', contentEncoding: 'base64' }, write: writeBase64 },
  uint32: { schema: { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 }, write: (value: number) => String(value) },
  '.google.protobuf.Timestamp': { schema: { type: 'string', format: 'date-time' }, write: writeTime },
};

/** @throws Error for a type that has no REST form */
export function scalarOf(field: protobuf.Field): Scalar {
  const scalar = scalars[typeOf(field)];
  if (scalar === undefined || field.map)
    throw new Error(`${field.fullName.slice(1)} is of type ${field.type}, which has no REST form yet`);
  return scalar;
}

/** By its full name if it is a message or an enumeration. */
const typeOf = ({ resolvedType, type }: protobuf.Field): string => resolvedType?.fullName ?? type;

/** The message of a field, unless JSON shows it as a scalar. */
export function messageOf(field: protobuf.Field): protobuf.Type | undefined {
  const { resolvedType } = field;
  return resolvedType instanceof protobuf.Type && !(typeOf(field) in scalars) ? resolvedType : undefined;
}

/** To the millisecond, as RFC 3339 has it. */
function writeTime(time: Timestamp): string {
  return `"${fromTimestamp(time).toISOString()}"`;
}

/** A number that shows a decimal point even when it is whole, so that a typed client sees a float. */
export function writeFloat(value: number): string {
  // JSON has no such number; the core never sends one in a documented field.
  if (!Number.isFinite(value)) return 'null';
  const text = String(value);
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${text}.0` : text;
}
