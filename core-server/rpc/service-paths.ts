import type { ServiceDefinition } from '@grpc/grpc-js';

export const isOurs = (path: string): boolean => path.startsWith('/imageanalysis.');

/** Whether a path needs no key: health and reflection. */
export const isKeyless = (path: string): boolean => path.startsWith('/grpc.');

/** The service of a path, by its full name. */
export const serviceOf = (path: string): string => path.split('/')[1] ?? '';

/** The full name of a service. */
export function nameOf({ definition }: { readonly definition: ServiceDefinition }): string {
  const [method] = Object.values(definition);
  return serviceOf(method?.path ?? '');
}
