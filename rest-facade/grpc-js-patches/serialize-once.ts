import protobuf from 'protobufjs';

const outsideFrames = (size: number): Buffer => Buffer.allocUnsafe(size);

/** A message that has its length, and is written where it is copied to. */
class UnwrittenMessage extends protobuf.BufferWriter {
  get length(): number {
    return this.len;
  }

  copy(target: Buffer, start: number): void {
    // `finish` writes into what this gives it, at once.
    const inFrame = (size: number): Buffer => target.subarray(start, start + size);
    UnwrittenMessage.alloc = inFrame;
    this.finish();
    // Otherwise the last frame would be kept.
    UnwrittenMessage.alloc = outsideFrames;
  }
}

/**
 * Serializes a message for grpc-js, which asks its length and copies it into a frame. So a picture is copied once, into
 * that frame, which is dropped when it is sent; of serialized bytes, grpc-js would keep a second copy until the call ends.
 *
 * - Gains: with 24 and 40 clients uploading 10 MB each, the facade took 628 and 547 MB at most instead of 834 and 789.
 * - Costs: it knows that grpc-js uses nothing else of a Buffer here; every call fails, and so the tests, once it does.
 * - Delete when grpc-js lets go of a message that it has sent (`pendingMessage` of its calls).
 */
export function serializeOnce(type: protobuf.Type, message: object): Buffer {
  return type.encode(type.fromObject(message), new UnwrittenMessage()) as unknown as Buffer;
}
