import type { Status } from '../generated/google/rpc/status.js';

/** The detail of this type, such as `google.rpc.ErrorInfo`; undefined where the status carries none. */
export function findDetail<T>(
  { details }: Status,
  type: string,
  codec: { decode(bytes: Uint8Array): T },
): T | undefined {
  const found = details.find(({ typeUrl }) => typeUrl === `type.googleapis.com/${type}`);
  return found && codec.decode(found.value);
}
