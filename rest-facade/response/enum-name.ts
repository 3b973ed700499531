/** Name of an enum value without the prefix that protos need; a value newer than this facade is a number. */
export function withoutPrefix(value: string | number, prefix: string): string {
  return String(value).replace(prefix, '');
}
