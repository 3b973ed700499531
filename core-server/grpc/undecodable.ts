import type { ServiceDefinition } from '@grpc/grpc-js';
import { ServiceError } from '../errors.js';

// A request whose bytes are no message of its type would be answered INTERNAL by grpc-js, which is
// for faults of ours. So decoding gives a mark in its place, and the adapters refuse it.

class Undecodable {}

/** The same service, whose requests may be a mark that `requireDecoded` refuses. */
export function markUndecodable(definition: ServiceDefinition): ServiceDefinition {
  const methods = Object.entries(definition).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer): unknown => {
      try {
        return method.requestDeserialize(bytes) as unknown;
      } catch {
        return new Undecodable();
      }
    };
    return [name, { ...method, requestDeserialize }] as const;
  });
  return Object.fromEntries(methods);
}

/** @throws ServiceError INVALID_FIELD when the bytes were no message of the request's type. */
export function requireDecoded<Request>(request: Request): Request {
  if (request instanceof Undecodable)
    throw new ServiceError(
      'INVALID_FIELD',
      'the request cannot be decoded, want its proto message',
    );
  return request;
}
