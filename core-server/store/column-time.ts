/** The time in a column, milliseconds since 1970: SQLite's driver returns a number, PostgreSQL's a string of digits. */
export function fromColumnTime(column: number | string): Date {
  return new Date(Number(column));
}

/** The time of a column that may be empty. */
export function fromOptionalColumnTime(column: number | string | null): Date | undefined {
  return column === null ? undefined : fromColumnTime(column);
}
