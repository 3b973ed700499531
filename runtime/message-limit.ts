/** Bytes of a gRPC message from or to the core: enough for a response with the crops of a thousand faces. */
export const maxMessageBytes = 64 * 2 ** 20;
