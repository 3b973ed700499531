import { Metadata, type StatusObject } from '@grpc/grpc-js';
import { Status } from '../../generated/google/rpc/status.js';
import type { Refusal } from '../../runtime/errors/refusal.js';
import { toRpcStatus } from '../../runtime/errors/rpc-status.js';

/** The trailing status of a refused call; the `google.rpc.Status` rides in its metadata. */
export function toStatusObject(error: Refusal): StatusObject {
  const metadata = new Metadata();
  const bytes = Status.encode(toRpcStatus(error)).finish();
  metadata.set('grpc-status-details-bin', Buffer.from(bytes));
  return { code: error.code, details: error.message, metadata };
}
