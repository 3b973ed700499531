import { Metadata, type ServerInterceptingCallInterface, type StatusObject } from '@grpc/grpc-js';
import type { Any } from '../../generated/google/protobuf/any.js';
import { ErrorInfo, RetryInfo } from '../../generated/google/rpc/error_details.js';
import { Status } from '../../generated/google/rpc/status.js';
import { errorDomain } from '../../runtime/errors/reasons.js';
import type { Refusal } from '../../runtime/errors/refusal.js';
import { createSymbolProperty } from '../../runtime/node-patches/symbol-property.js';

type PartialStatusObject = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

/** The `google.rpc.Status` of a refusal: code, message, `ErrorInfo` and, where known, `RetryInfo`. */
export function toRpcStatus(error: Refusal): Status {
  const details = [
    packAny(
      'google.rpc.ErrorInfo',
      ErrorInfo.encode({ reason: error.reason, domain: errorDomain, metadata: error.details }),
    ),
  ];
  if (error.retryAfterSeconds !== undefined) {
    const retryDelay = { seconds: error.retryAfterSeconds, nanos: 0 };
    details.push(packAny('google.rpc.RetryInfo', RetryInfo.encode({ retryDelay })));
  }
  return { code: error.code, message: error.message, details };
}

/** For those that see the status pass, so that it need not be parsed from its bytes again. */
const reasons = createSymbolProperty<Metadata, string>();

/** The trailing status of a refused call; the `google.rpc.Status` rides in its metadata. */
export function toStatusObject(error: Refusal): StatusObject {
  const metadata = new Metadata();
  const bytes = Status.encode(toRpcStatus(error)).finish();
  metadata.set('grpc-status-details-bin', Buffer.from(bytes));
  reasons.set(metadata, error.reason);
  return { code: error.code, details: error.message, metadata };
}

function packAny(type: string, writer: { finish(): Uint8Array }): Any {
  return { typeUrl: `type.googleapis.com/${type}`, value: Buffer.from(writer.finish()) };
}

/** The reason behind a trailing status; undefined for those that grpc-js creates itself. */
export function reasonOf({ metadata }: Pick<PartialStatusObject, 'metadata'>): string | undefined {
  return metadata ? reasons.get(metadata) : undefined;
}
