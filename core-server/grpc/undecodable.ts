import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { refuse } from '../../runtime/refusal.js';

// A request whose bytes are no message of its type would be answered INTERNAL by grpc-js, which is
// for faults of ours. So decoding gives a mark in its place, and the adapters refuse it.

class Undecodable {}

/** The same service, whose requests may be a mark that `requireDecoded` refuses. */
export function markUndecodable(definition: ServiceDefinition): ServiceDefinition {
  const methods = Object.entries(definition).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer): unknown => {
      try {
        // The generated decoders take a reader as well as bytes.
        return method.requestDeserialize(limitedReader(bytes) as unknown as Buffer) as unknown;
      } catch {
        return new Undecodable();
      }
    };
    return [name, { ...method, requestDeserialize }] as const;
  });
  return Object.fromEntries(methods);
}

/** Tags and lengths of a message; the largest of ours has about twenty. */
const maxMarks = 1_000;

/**
 * A reader that gives up: a field may have two bytes, and decoding five million of them, which all set the same
 * field or none, would hold up everybody for a second.
 */
function limitedReader(bytes: Uint8Array): BinaryReader {
  const reader = new BinaryReader(bytes);
  const read = reader.uint32.bind(reader);
  let left = maxMarks;
  reader.uint32 = () => {
    if (left === 0) throw new Error(`more than ${maxMarks} tags and lengths`);
    left -= 1;
    return read();
  };
  return reader;
}

/** @throws Refusal INVALID_FIELD when the bytes were no message of the request's type. */
export function requireDecoded<Request>(request: Request): Request {
  if (request instanceof Undecodable)
    throw refuse('INVALID_FIELD', 'the request cannot be decoded, want its proto message');
  return request;
}
