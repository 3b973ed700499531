/** Whether a path is one of our own services'. */
export const isOurs = (path: string): boolean => path.startsWith('/imageanalysis.');

/** Whether a path needs no key: health and reflection. */
export const isKeyless = (path: string): boolean => path.startsWith('/grpc.');

export const isReflection = (path: string): boolean => path.startsWith('/grpc.reflection.');
