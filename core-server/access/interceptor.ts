import type { Metadata } from '@grpc/grpc-js';
import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
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
  /** The key as it was when it was last authenticated; undefined where it must be asked for first. */
  recall(apiKey: string): AuthenticatedKey | undefined;
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
 *
 * A picture of a key that was good a moment ago is worked on while the store is asked, and not answered
 * before: so a revoked key is refused from then on, and nobody waits for the store.
 */
export function createAccessInterceptor(deps: AccessDeps): ServerInterceptor {
  const authenticate = async (sent: string, operation: Operation): Promise<AuthenticatedKey> =>
    assertAllowed(await deps.authenticate(sent), operation);

  return guard(async ({ path, requestStream, deadline }, metadata) => {
    const operation = operationOfService[serviceOf(path)];
    if (operation === undefined) return undefined;
    const sent = readSecret(metadata, 'apikey');
    const claimed = parseApiKey(sent);
    // The requests of a stream wait for room.
    if (!requestStream && claimed) deps.assertRoom({ operation, keyId: claimed.id, deadline });
    const canWait = !requestStream && operation !== Operation.SCORE_CONFIG;
    const known = canWait ? deps.recall(sent) : undefined;
    const key = known ? assertAllowed(known, operation) : await authenticate(sent, operation);
    await deps.consume(key.id);
    metadata.set(keyIdMetadata, key.id);
    return known && (() => authenticate(sent, operation));
  }, deps.log);
}

/** Gives the key back. Throws KEY_NOT_ALLOWED. */
function assertAllowed(key: AuthenticatedKey, operation: Operation): AuthenticatedKey {
  if (key.operations.length === 0 || key.operations.includes(operation)) return key;
  throw new ServiceError(
    'KEY_NOT_ALLOWED',
    `apikey is that of ${key.id}, want one that may be used for ${operation}`,
    { details: { key_id: key.id, operation } },
  );
}

/** Checks the metadata `adminkey` of every administration call. */
export function createAdminInterceptor(
  isAdminKey: (key: string) => boolean,
  log: Logger,
): ServerInterceptor {
  return guard(({ path }, metadata) => {
    if (serviceOf(path) !== 'imageanalysis.v1.AdminService') return Promise.resolve(undefined);
    if (!isAdminKey(readSecret(metadata, 'adminkey'))) {
      throw new ServiceError('INVALID_API_KEY', 'adminkey is wrong, want the key of AdminService', {
        details: { field: 'adminkey' },
      });
    }
    return Promise.resolve(undefined);
  }, log);
}

interface GuardedCall {
  readonly path: string;
  readonly requestStream: boolean;
  readonly deadline: number;
}

/** What is left to be checked while the call is worked on; rejects to refuse it. */
type Confirm = () => Promise<unknown>;

/** Runs a check on the metadata of a call; refuses the call when the check, or what it left, rejects. */
function guard(
  check: (call: GuardedCall, metadata: Metadata) => Promise<Confirm | undefined>,
  log: Logger,
): ServerInterceptor {
  return ({ path, requestStream }, grpcCall) => {
    let requestId = '';
    let confirm: Confirm | undefined;
    let confirmed: Promise<boolean> | undefined;

    const refuse = (caught: unknown): void => {
      const error = ServiceError.from(caught);
      logFault(log, error, { request_id: requestId, method: path });
      grpcCall.sendStatus(toStatusObject(error));
    };
    const isConfirmed = (check: Confirm): Promise<boolean> =>
      (confirmed ??= check().then(
        () => true,
        (caught: unknown) => {
          refuse(caught);
          return false;
        },
      ));
    /** Passes on what is answered, once nothing is left to be checked. */
    const answer = (pass: () => void): void => {
      if (confirm === undefined) pass();
      else void isConfirmed(confirm).then((isGood) => isGood && pass());
    };

    return new ServerInterceptingCall(grpcCall, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            metadata.remove(keyIdMetadata);
            requestId = readRequestId(metadata);
            const deadline = Number(grpcCall.getDeadline());
            const run = async () => {
              confirm = await check({ path, requestStream, deadline }, metadata);
              metadata.remove('apikey');
              metadata.remove('adminkey');
              pass(metadata);
            };
            run().catch(refuse);
          },
          onReceiveHalfClose(pass) {
            pass();
            // The worker has the picture by then.
            const left = confirm;
            if (left) setImmediate(() => void isConfirmed(left));
          },
        }),
      sendMetadata: (metadata, pass) => answer(() => pass(metadata)),
      sendStatus: (status, pass) => answer(() => pass(status)),
    });
  };
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
