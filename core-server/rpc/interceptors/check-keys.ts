import type { Metadata } from '@grpc/grpc-js';
import type { Operation } from '../../../generated/imageanalysis/v1/admin.js';
import { refuse, refuseField } from '../../../runtime/errors/refusal.js';
import { callerAddress } from '../../../runtime/net/addresses.js';
import type { AdminKeyCheck } from '../../access/keys/admin-key.js';
import { parseApiKey } from '../../access/keys/api-key-format.js';
import type { ApiKey } from '../../access/keys/knex-api-key-store.js';
import { operationName } from '../../common/operations.js';
import { stateOf } from '../call-state.js';
import { peerAddress } from '../client-address.js';
import type { Service } from '../grpc-server.js';
import { nameOf, serviceOf } from '../service-paths.js';
import type { KeyCheck } from './admit-calls.js';

type AuthenticatedKey = Pick<ApiKey, 'id' | 'operations'>;

/** A service whose calls need an API key. */
export interface KeyedService extends Pick<Service, 'definition'> {
  /** What its keys must be allowed to do; undefined: any key will do. */
  readonly operation: Operation | undefined;
  /** Whether its requests wait for a worker, and are refused while the queue is full. */
  readonly isQueued: boolean;
}

/** What the check needs to know of the services, and from the access feature. */
export interface AccessDependencies {
  readonly services: readonly KeyedService[];
  /** Rejects with INVALID_API_KEY. @param caller the address that its sender is counted by */
  authenticate(apiKey: string, caller: string): Promise<AuthenticatedKey>;
  /** Rejects with RATE_LIMITED when the key's request rate is used up. */
  consume(keyId: string): Promise<void>;
  /**
   * A flood is refused before its keys are looked up and its pictures read. So while the queue is full, a bad key
   * gets the same answer as a good one: a flood of made-up keys does not reach the store, and nobody learns which
   * keys exist.
   *
   * @param keyId as the caller claims it
   * @param deadline the caller's own, milliseconds since the epoch
   * @throws Refusal QUEUE_FULL if the single request of a call would be refused
   */
  assertRoom(keyId: string, deadline: number): void;
}

/** Checks the metadata `apikey` of every call, and again for each request of a stream. */
export function checkApiKeys(deps: AccessDependencies): KeyCheck {
  const services = new Map(deps.services.map((service) => [nameOf(service), service]));
  return async (metadata, { path, requestStream }, grpcCall) => {
    const service = services.get(serviceOf(path));
    if (service === undefined) throw new Error(`no operation allows ${path}`);
    const { operation, isQueued } = service;
    const sent = readSecret(metadata, 'apikey');
    const claimed = parseApiKey(sent);
    const state = stateOf(metadata);
    state.keyId = claimed?.id;
    // Requests in a stream wait for a place in the queue.
    if (isQueued && !requestStream && claimed) deps.assertRoom(claimed.id, Number(grpcCall.getDeadline()));
    const caller = callerAddress(state.clientAddress);
    const authenticate = async () => assertAllowed(await deps.authenticate(sent, caller), operation);
    const { id: keyId } = await authenticate();
    state.keyId = keyId;
    state.admitRequest = async () => {
      if (requestStream) await authenticate();
      await deps.consume(keyId);
    };
    if (!requestStream) await deps.consume(keyId);
  };
}

/** Returns the key. @throws Refusal KEY_NOT_ALLOWED */
function assertAllowed(key: AuthenticatedKey, operation: Operation | undefined): AuthenticatedKey {
  if (operation === undefined || key.operations.length === 0 || key.operations.includes(operation)) return key;
  const name = operationName(operation);
  const message = `apikey ${key.id} is not allowed to use ${name}, want one that is`;
  throw refuse('KEY_NOT_ALLOWED', message, { details: { key_id: key.id, operation: name } });
}

/** Checks the metadata `adminkey` of every administration call. */
export function checkAdminKeys(checkAdminKey: AdminKeyCheck): KeyCheck {
  return async (metadata, _, grpcCall) => {
    const { clientAddress = '' } = stateOf(metadata);
    await checkAdminKey(readSecret(metadata, 'adminkey'), clientAddress, peerAddress(grpcCall));
  };
}

function readSecret(metadata: Metadata, name: string): string {
  // Node.js makes one value of several.
  const [value] = metadata.get(name);
  if (typeof value !== 'string' || value === '')
    throw refuseField('MISSING_API_KEY', name, 'is missing, want one key in the metadata');
  return value;
}
