import { Metadata, type StatusObject } from '@grpc/grpc-js';
import { Status } from '../../generated/google/rpc/status.js';
import type { Refusal } from '../../runtime/errors/refusal.js';
import { toRpcStatus } from '../../runtime/errors/rpc-status.js';
import { createSymbolProperty } from '../../runtime/node-patches/symbol-property.js';

/** For those that see the status pass, so that it need not be parsed from its bytes again. */
const reasons = createSymbolProperty<Metadata, string>();

/**
 * Clients with a retry policy wait as long as they are told to, whatever their own longest backoff is: beyond their
 * deadline, so that they never saw the reason.
 */
const maxPushbackSeconds = 5;

/** When a client with a retry policy tries again, in place of its own backoff; negative for never (gRFC A6). */
const toPushback = (seconds: number) => (seconds > maxPushbackSeconds ? '-1' : String(seconds * 1_000));

/** The trailing status of a refused call; the `google.rpc.Status` rides in its metadata. */
export function toStatusObject(error: Refusal): StatusObject {
  const metadata = new Metadata();
  const bytes = Status.encode(toRpcStatus(error)).finish();
  metadata.set('grpc-status-details-bin', Buffer.from(bytes));
  if (error.retryAfterSeconds !== undefined)
    metadata.set('grpc-retry-pushback-ms', toPushback(error.retryAfterSeconds));
  reasons.set(metadata, error.reason);
  return { code: error.code, details: error.message, metadata };
}

/** The reason behind a trailing status; undefined for those that grpc-js creates itself. */
export function reasonOf({ metadata }: { readonly metadata?: Metadata | null | undefined }): string | undefined {
  return metadata ? reasons.get(metadata) : undefined;
}
