import { status as codes, type ServiceError } from '@grpc/grpc-js';
import { ErrorInfo, RetryInfo } from '../../generated/google/rpc/error_details.js';
import { Status } from '../../generated/google/rpc/status.js';
import { RefusedError, type Reason } from './refused-error.js';

/** Reads the refusal out of what a gRPC call failed with. */
export function fromGrpcError(error: ServiceError): RefusedError {
  const [details] = error.metadata.get('grpc-status-details-bin');
  const status = Buffer.isBuffer(details)
    ? Status.decode(details)
    : { code: error.code, message: error.details, details: [] };
  return fromStatus(status, error);
}

/** Reads the refusal out of an error answer of a stream. */
export function fromStatus(status: Status, cause?: unknown): RefusedError {
  const info = find(status, 'google.rpc.ErrorInfo', ErrorInfo);
  const retry = find(status, 'google.rpc.RetryInfo', RetryInfo)?.retryDelay;
  const refusal = {
    reason: (info?.reason || undefined) as Reason | undefined,
    code: codes[status.code] ?? 'UNKNOWN',
    details: info?.metadata ?? {},
    retryAfterSeconds: retry && retry.seconds + retry.nanos / 1e9,
  };
  return new RefusedError(status.message, refusal, { cause });
}

function find<T>(status: Status, type: string, codec: { decode(bytes: Uint8Array): T }) {
  const packed = status.details.find(({ typeUrl }) => typeUrl === `type.googleapis.com/${type}`);
  return packed && codec.decode(packed.value);
}
