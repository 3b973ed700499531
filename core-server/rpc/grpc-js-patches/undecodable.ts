import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { refuse } from '../../../runtime/errors/refusal.js';

/**
 * What decoding returns for bytes that are not a message of the request's type; the adapters refuse it. grpc-js would
 * answer INTERNAL, which is meant for our own errors.
 *
 * - Gains: a caller's mistake is INVALID_FIELD and is not alerted on; 10 MB of empty fields are given up at once instead
 *   of blocking the process for a second.
 * - Costs: the generated decoders must go on accepting a reader.
 * - Delete when grpc-js lets a deserializer choose the status.
 */
class Undecodable {}

/** The same service, whose requests may be a marker that `requireDecoded` refuses. */
export function markUndecodable(definition: ServiceDefinition): ServiceDefinition {
  const methods = Object.entries(definition).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer): unknown => {
      try {
        // The generated decoders accept a reader as well as bytes.
        return method.requestDeserialize(limitedReader(bytes) as unknown as Buffer) as unknown;
      } catch {
        return new Undecodable();
      }
    };
    return [name, { ...method, requestDeserialize }] as const;
  });
  return Object.fromEntries(methods);
}

/** Limit on tags and lengths in a message; our largest has about twenty. */
const maxVarints = 1_000;

/**
 * A reader that gives up: a field can be two bytes, and decoding five million of them, which all set the same
 * field or none, would block the process for a second.
 */
function limitedReader(bytes: Uint8Array): BinaryReader {
  const reader = new BinaryReader(bytes);
  const read = reader.uint32.bind(reader);
  let left = maxVarints;
  const readCounted = (): number => {
    if (left === 0) throw new Error(`more than ${maxVarints} tags and lengths`);
    left -= 1;
    return read();
  };
  reader.uint32 = readCounted;
  return reader;
}

/** @throws Refusal INVALID_FIELD if the bytes were not a message of the request's type. */
export function requireDecoded<Request>(request: Request): Request {
  if (request instanceof Undecodable)
    throw refuse('INVALID_FIELD', 'the request cannot be decoded, want its proto message');
  return request;
}
