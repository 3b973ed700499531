import type { handleUnaryCall } from '@grpc/grpc-js';

/** The methods of a server interface by ts-proto, without its index signature: a missing one is an error. */
export type Methods<Server> = { [Method in keyof Server as string extends Method ? never : Method]: Server[Method] };

/** What answers the unary methods of a service, from the request and what else it needs. */
export type Handlers<Server, Rest extends readonly unknown[] = []> = {
  readonly [
    Method in keyof Server as Server[Method] extends handleUnaryCall<never, unknown> ? Method : never
  ]: Server[Method] extends handleUnaryCall<infer Request, infer Response>
    ? (request: Request, ...rest: Rest) => Promise<Response>
    : never;
};
