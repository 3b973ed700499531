import type { Any } from '../../generated/google/protobuf/any.js';
import { ErrorInfo, RetryInfo } from '../../generated/google/rpc/error_details.js';
import type { Status } from '../../generated/google/rpc/status.js';
import { errorDomain } from './reasons.js';
import type { Refusal } from './refusal.js';

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

function packAny(type: string, writer: { finish(): Uint8Array }): Any {
  return { typeUrl: `type.googleapis.com/${type}`, value: Buffer.from(writer.finish()) };
}
