/** A `google.protobuf.Timestamp`, as proto-loader gives it. */
export interface Timestamp {
  readonly seconds: number | string;
  readonly nanos: number;
}

export function fromTimestamp({ seconds, nanos }: Timestamp): Date {
  return new Date(Number(seconds) * 1000 + nanos / 1e6);
}

export function toTimestamp(time: Date): Timestamp {
  const seconds = Math.floor(time.getTime() / 1000);
  return { seconds, nanos: (time.getTime() - seconds * 1000) * 1e6 };
}
