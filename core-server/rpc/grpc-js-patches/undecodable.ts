import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { refuse } from '../../../runtime/errors/refusal.js';

/**
 * What decoding returns for bytes that are not a message of the request's type; the adapters refuse it. grpc-js would
 * answer INTERNAL, which is meant for our own errors.
 *
 * - Gains: a caller's mistake is INVALID_FIELD and is not alerted on; 10 MB of empty fields or of text are given up at
 *   once instead of blocking the process.
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

/** Limit on the texts of a message, bytes in all; a legitimate one has less than a thousand. */
const maxTextBytes = 2 ** 16;

// As the reader's own: a byte order mark is part of the text.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * A reader that gives up: a field can be two bytes, and decoding five million of them, which all set the same
 * field or none, would block the process for a second, and 10 MB of text for 50 ms.
 */
function limitedReader(bytes: Uint8Array): BinaryReader {
  let textLeft = maxTextBytes;
  const reader = new BinaryReader(bytes, (text) => {
    textLeft -= text.length;
    if (textLeft < 0) throw new Error(`more than ${maxTextBytes} bytes of text`);
    return utf8.decode(text);
  });
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
    throw refuse(
      'INVALID_FIELD',
      `the request cannot be decoded, want its proto message with at most ${maxTextBytes} bytes of text`,
    );
  return request;
}
