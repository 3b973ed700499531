import type { TestContext } from 'node:test';
import {
  type ClientUnaryCall,
  Metadata,
  type Server,
  ServerCredentials,
  type ServiceError as GrpcError,
} from '@grpc/grpc-js';
import { ErrorInfo, RetryInfo } from '../../../generated/google/rpc/error_details.js';
import { Status } from '../../../generated/google/rpc/status.js';

/** Has a grpc-js server listen until the test ends. @returns its port */
export async function bindServer(
  t: Pick<TestContext, 'after'>,
  server: Server,
  { address = '127.0.0.1:0', credentials = ServerCredentials.createInsecure() } = {},
): Promise<number> {
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(address, credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  t.after(() => server.forceShutdown());
  return port;
}

/** Makes a call of a grpc-js client with a promise: `unaryCall((done) => client.method(request, metadata, done))`. */
export function unaryCall<Response>(
  start: (done: (error: GrpcError | null, response: Response) => void) => ClientUnaryCall,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    start((error, response) => (error ? reject(error) : resolve(response)));
  });
}

/** Metadata with an API key, and what else a call shall carry; no key where it is empty. */
export function metadataWithKey(apiKey: string, more: Record<string, string> = {}): Metadata {
  const metadata = new Metadata();
  if (apiKey !== '') metadata.set('apikey', apiKey);
  for (const [name, value] of Object.entries(more)) metadata.set(name, value);
  return metadata;
}

/** What a refusal carries: its reason, facts and when to try again. */
export function detailsOf(error: unknown): {
  reason: string;
  domain: string;
  metadata: Record<string, string>;
  retryAfterSeconds: number | undefined;
} {
  const [bytes] = (error as GrpcError).metadata.get('grpc-status-details-bin');
  return detailsOfStatus(Status.decode(bytes as Buffer));
}

/** The same of a `google.rpc.Status` inside a message. */
export function detailsOfStatus({ details }: Pick<Status, 'details'>): ReturnType<typeof detailsOf> {
  const find = (name: string) => details.find((any) => any.typeUrl.endsWith(`/${name}`))?.value;
  const retry = find('google.rpc.RetryInfo');
  const { reason, domain, metadata } = ErrorInfo.decode(find('google.rpc.ErrorInfo') ?? Buffer.alloc(0));
  return { reason, domain, metadata, retryAfterSeconds: retry && RetryInfo.decode(retry).retryDelay?.seconds };
}
