interface FrameOptions {
  /** The length that is said, where it is not that of the bytes. */
  readonly length?: number;
  /** 1: compressed. */
  readonly flags?: number;
}

/** A gRPC message as it goes over HTTP: flags, length and bytes. */
export function grpcFrame(bytes: Uint8Array, { length = bytes.length, flags = 0 }: FrameOptions = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, bytes]);
}
