import type { Metadata } from '@grpc/grpc-js';
import type { Any } from '../../generated/google/protobuf/any.js';
import { ErrorInfo, RetryInfo } from '../../generated/google/rpc/error_details.js';
import { Status } from '../../generated/google/rpc/status.js';
import { errorDomain } from './reasons.js';

/** What a refusal of our service says, beside its code. */
export interface SentRefusal {
  readonly reason: string;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;
}

/** Reads a refusal from a status, encoded or not; undefined if it is malformed or not from this service. */
export function readRefusal(status: Status | Uint8Array): SentRefusal | undefined {
  try {
    const { message, details } = status instanceof Uint8Array ? Status.decode(status) : status;
    const info = find(details, 'google.rpc.ErrorInfo', ErrorInfo);
    if (info?.domain !== errorDomain) return undefined;
    const delay = find(details, 'google.rpc.RetryInfo', RetryInfo)?.retryDelay;
    return {
      reason: info.reason,
      message,
      details: info.metadata,
      retryAfterSeconds: delay && delay.seconds + delay.nanos / 1e9,
    };
  } catch {
    return undefined;
  }
}

/** Reads it out of what a call failed with, whose metadata has it as `grpc-status-details-bin`. */
export function readTrailingRefusal(error: { readonly metadata: Metadata }): SentRefusal | undefined {
  // An error that was made before any metadata came may lack it, whatever its type says.
  const metadata = error.metadata as Metadata | undefined;
  const bytes = metadata?.get('grpc-status-details-bin')[0];
  return bytes instanceof Uint8Array ? readRefusal(bytes) : undefined;
}

function find<T>(details: Any[], type: string, codec: { decode(bytes: Uint8Array): T }) {
  const found = details.find(({ typeUrl }) => typeUrl === `type.googleapis.com/${type}`);
  return found && codec.decode(found.value);
}
