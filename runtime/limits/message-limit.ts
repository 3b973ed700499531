/** Faces of a response at most; `max_faces` in the proto allows no more. */
export const mostFaces = 1_000;

/** Bytes of a gRPC message from or to the core: enough for a response with the crops of so many faces. */
export const maxMessageBytes = 64 * 2 ** 20;
