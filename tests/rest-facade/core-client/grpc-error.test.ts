import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { Any } from '../../../generated/google/protobuf/any.js';
import { ErrorInfo, RetryInfo } from '../../../generated/google/rpc/error_details.js';
import { Status } from '../../../generated/google/rpc/status.js';
import { fromGrpcError } from '../../../rest-facade/core-client/grpc-error.js';
import { toHttpStatus } from '../../../rest-facade/response/http-error.js';

function grpcError(code: status, details?: Uint8Array, text = 'library text'): ServiceError {
  const metadata = new Metadata();
  if (details) metadata.set('grpc-status-details-bin', Buffer.from(details));
  return Object.assign(new Error(`14: ${text}`), { code, details: text, metadata });
}

const pack = (type: string, value: Uint8Array) =>
  Any.create({ typeUrl: `type.googleapis.com/google.rpc.${type}`, value: Buffer.from(value) });

function statusBytes(domain: string, retry?: { seconds: number; nanos: number }): Uint8Array {
  const info = { reason: 'RATE_LIMITED', domain, metadata: { field: 'apikey' } };
  const details = [pack('ErrorInfo', ErrorInfo.encode(info).finish())];
  if (retry) details.push(pack('RetryInfo', RetryInfo.encode({ retryDelay: retry }).finish()));
  return Status.encode({ code: 8, message: 'too often', details }).finish();
}

test("the core's refusals are passed on", () => {
  const retry = { seconds: 2, nanos: 1 };
  const error = grpcError(status.RESOURCE_EXHAUSTED, statusBytes('imageanalysis', retry));
  const refusal = fromGrpcError(error);
  const { code, reason, message, details, retryAfterSeconds, cause } = refusal;
  assert.deepEqual(
    { code, reason, message, details, retryAfterSeconds },
    {
      code: 8,
      reason: 'RATE_LIMITED',
      message: 'too often',
      details: { field: 'apikey' },
      // Whole seconds, never early.
      retryAfterSeconds: 3,
    },
  );
  assert.equal(cause, error);
  const retryAfter = (delay?: typeof retry) =>
    fromGrpcError(grpcError(status.RESOURCE_EXHAUSTED, statusBytes('imageanalysis', delay))).retryAfterSeconds;
  assert.equal(retryAfter({ seconds: 0, nanos: 0 }), 1);
  assert.equal(retryAfter(), undefined);
});

test('errors without our ErrorInfo go by their code, and their text stays inside', () => {
  const foreign = statusBytes('other.example');
  const broken = Buffer.from([0xff, 0xff, 0xff]);
  const table: [ServiceError, string][] = [
    [grpcError(status.UNAVAILABLE), 'CORE_UNAVAILABLE'],
    [grpcError(status.DEADLINE_EXCEEDED), 'DEADLINE'],
    // A caller who went away is not answered at all; this is a core that was killed.
    [grpcError(status.CANCELLED), 'CORE_UNAVAILABLE'],
    [grpcError(status.INTERNAL), 'INTERNAL'],
    [grpcError(status.INTERNAL, undefined, 'Received RST_STREAM with code 2 (library)'), 'CORE_UNAVAILABLE'],
    [grpcError(status.RESOURCE_EXHAUSTED), 'QUEUE_FULL'],
    [grpcError(status.RESOURCE_EXHAUSTED, undefined, 'library message larger than max (10 vs. 5)'), 'BODY_TOO_LARGE'],
    [grpcError(status.UNIMPLEMENTED), 'INTERNAL'],
    [grpcError(status.UNAVAILABLE, foreign), 'CORE_UNAVAILABLE'],
    [grpcError(status.INVALID_ARGUMENT, broken), 'INTERNAL'],
    [Object.assign(new Error('no metadata'), { code: 14 }) as ServiceError, 'CORE_UNAVAILABLE'],
  ];
  for (const [error, reason] of table) {
    const refusal = fromGrpcError(error);
    assert.equal(refusal.reason, reason);
    assert.doesNotMatch(refusal.message, /library/);
    assert.equal(refusal.cause, error);
  }
});

test('codes and reasons that nobody knows have an HTTP status too', () => {
  assert.equal(toHttpStatus(status.UNIMPLEMENTED, 'SOMETHING_NEW'), 501);
  assert.equal(toHttpStatus(status.UNKNOWN, ''), 500);
  assert.equal(toHttpStatus(99 as status, ''), 500);
});
