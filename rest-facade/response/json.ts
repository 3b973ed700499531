/** A number that shows a decimal point even when it is whole, so that a typed client sees a float. */
export class Float {
  constructor(readonly value: number) {}
}

/** Bytes, shown as base64. */
export class Base64 {
  constructor(readonly bytes: Uint8Array) {}
}

/** What a response consists of. */
export type Json = string | number | boolean | null | Float | Base64 | readonly Json[] | Members;

/** Members of a JSON object; undefined ones are left out. */
export interface Members {
  readonly [member: string]: Json | undefined;
}

/**
 * Writes JSON. It replaces JSON.stringify for two reasons: JavaScript cannot tell 1.0 from 1, and base64
 * never needs escaping, so it is not scanned.
 */
export function writeJson(json: Json): string {
  if (json instanceof Float) return writeFloat(json.value);
  if (json instanceof Base64) return `"${toBase64(json.bytes)}"`;
  if (Array.isArray(json)) return `[${(json as readonly Json[]).map(writeJson).join(',')}]`;
  if (typeof json === 'object' && json !== null) {
    const members = Object.entries(json).flatMap(([name, value]) =>
      value === undefined ? [] : `${JSON.stringify(name)}:${writeJson(value)}`,
    );
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(json);
}

function writeFloat(value: number): string {
  // JSON has no such number; the core never sends one in a documented field.
  if (!Number.isFinite(value)) return 'null';
  const text = String(value === 0 ? 0 : value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function toBase64(bytes: Uint8Array): string {
  // A view of the same memory, not a copy.
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
