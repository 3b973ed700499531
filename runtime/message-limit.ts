/** Bytes of a gRPC message from or to the core: an answer with the crops of a thousand faces fits. */
export const maxMessageBytes = 64 * 2 ** 20;
