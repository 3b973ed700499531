import type { Metadata } from '@grpc/grpc-js';
import {
  ServerInterceptingCall,
  status as grpcStatus,
  type ServerInterceptor,
} from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { Operation } from '../../generated/imageanalysis/v1/admin.js';
import { ServiceError } from '../errors.js';
import { logFault } from '../observe/log-fault.js';
import { readRequestId } from '../grpc/request-id.js';
import { toStatusObject } from '../grpc/status.js';
import { parseApiKey } from './api-key-format.js';

/** Metadata key under which handlers find the public id of the caller's API key. */
export const keyIdMetadata = 'x-internal-key-id';

/** What the interceptor needs to know of an API key. */
export interface AuthenticatedKey {
  readonly id: string;
  /** What it may be used for; empty: everything. */
  readonly operations: readonly Operation[];
}

/** What the interceptor asks of the access feature. */
export interface AccessDeps {
  /** Rejects with INVALID_API_KEY. */
  authenticate(apiKey: string): Promise<AuthenticatedKey>;
  /** Rejects with RATE_LIMITED when the key's request rate is used up. */
  consume(keyId: string): Promise<void>;
  /**
   * Throws QUEUE_FULL where the one request of a call would be refused: a flood is refused before its
   * keys are looked up and its pictures read.
   */
  assertRoom(call: {
    readonly operation: Operation;
    /** As the caller claims it. */
    readonly keyId: string;
    /** The caller's own, milliseconds since the epoch. */
    readonly deadline: number;
  }): void;
  /** Told of what went wrong underneath, such as in the store. */
  readonly log: Logger;
}

const operationOfService: Readonly<Record<string, Operation>> = {
  'imageanalysis.v1.FaceDetectionService': Operation.FACE_DETECTION,
  'imageanalysis.v1.ScoreConfigService': Operation.SCORE_CONFIG,
  'imageanalysis.v1.MeterReadingService': Operation.METER_READING,
};

/**
 * Checks the metadata `apikey` of every call of our own services before any of its message is
 * read. Health and reflection need no key.
 */
export function createAccessInterceptor(deps: AccessDeps): ServerInterceptor {
  return guard(async ({ path, requestStream, deadline }, metadata) => {
    const operation = operationOfService[serviceOf(path)];
    if (operation === undefined) return;
    const apiKey = readSecret(metadata, 'apikey');
    const claimed = parseApiKey(apiKey);
    // The requests of a stream wait for room.
    if (!requestStream && claimed) deps.assertRoom({ operation, keyId: claimed.id, deadline });
    const key = await deps.authenticate(apiKey);
    if (key.operations.length > 0 && !key.operations.includes(operation)) {
      throw new ServiceError(
        'KEY_NOT_ALLOWED',
        `apikey is that of ${key.id}, want one that may be used for ${operation}`,
        { details: { key_id: key.id, operation } },
      );
    }
    await deps.consume(key.id);
    metadata.set(keyIdMetadata, key.id);
  }, deps.log);
}

/** Checks the metadata `adminkey` of every administration call. */
export function createAdminInterceptor(
  isAdminKey: (key: string) => boolean,
  log: Logger,
): ServerInterceptor {
  return guard(({ path }, metadata) => {
    if (serviceOf(path) !== 'imageanalysis.v1.AdminService') return Promise.resolve();
    if (!isAdminKey(readSecret(metadata, 'adminkey'))) {
      throw new ServiceError('INVALID_API_KEY', 'adminkey is wrong, want the key of AdminService');
    }
    return Promise.resolve();
  }, log);
}

interface GuardedCall {
  readonly path: string;
  readonly requestStream: boolean;
  readonly deadline: number;
}

/** Runs a check on the metadata of a call; refuses the call when the check rejects. */
function guard(
  check: (call: GuardedCall, metadata: Metadata) => Promise<void>,
  log: Logger,
): ServerInterceptor {
  return ({ path, requestStream }, grpcCall) =>
    new ServerInterceptingCall(grpcCall, {
      start(next) {
        next({
          onReceiveMetadata(metadata, pass) {
            metadata.remove(keyIdMetadata);
            const run = async () => {
              try {
                const deadline = Number(grpcCall.getDeadline());
                await check({ path, requestStream, deadline }, metadata);
              } catch (caught) {
                const error = ServiceError.from(caught);
                logFault(log, error, { request_id: readRequestId(metadata), method: path });
                grpcCall.sendStatus(toStatusObject(error));
                return;
              }
              metadata.remove('apikey');
              metadata.remove('adminkey');
              pass(metadata);
            };
            run().catch(() => {
              grpcCall.sendStatus({
                code: grpcStatus.INTERNAL,
                details: 'the service failed to answer this request',
              });
            });
          },
        });
      },
    });
}

function readSecret(metadata: Metadata, name: string): string {
  const values = metadata.get(name);
  const [value] = values;
  if (values.length !== 1 || typeof value !== 'string' || value === '') {
    throw new ServiceError('MISSING_API_KEY', `${name} is missing, want one key in the metadata`, {
      details: { field: name },
    });
  }
  return value;
}

function serviceOf(path: string): string {
  return path.split('/')[1] ?? '';
}
