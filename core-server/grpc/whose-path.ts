/** Whether a path is one of our own services'. */
export const isOurs = (path: string): boolean => path.startsWith('/imageanalysis.');

/** Whether anybody may call a path, without a key: those of health and reflection. */
export const isKeyless = (path: string): boolean => path.startsWith('/grpc.');

export const isReflection = (path: string): boolean => path.startsWith('/grpc.reflection.');
