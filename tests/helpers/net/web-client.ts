import { readFileSync } from 'node:fs';
import {
  createFileRegistry,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromBinary,
  type JsonObject,
  toJson,
} from '@bufbuild/protobuf';
import { type FileDescriptorSet, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-web';
import { ErrorInfo, RetryInfo } from '../../../generated/google/rpc/error_details.js';

/** The ways in which a page can call, by the client that pages use. */
export const transports: Readonly<Record<string, (baseUrl: string) => Transport>> = {
  'Connect with JSON': (baseUrl) => createConnectTransport({ baseUrl }),
  'Connect with Protobuf': (baseUrl) => createConnectTransport({ baseUrl, useBinaryFormat: true }),
  'gRPC-Web with Protobuf': (baseUrl) => createGrpcWebTransport({ baseUrl }),
  'gRPC-Web with JSON': (baseUrl) => createGrpcWebTransport({ baseUrl, useBinaryFormat: false }),
};

/** The descriptors of the service's protos. */
export function readDescriptors(): FileDescriptorSet {
  return fromBinary(
    FileDescriptorSetSchema,
    readFileSync(new URL('../../../../generated/descriptors.binpb', import.meta.url)),
  );
}

/** A method by its path, `FaceDetectionService/DetectAllFaces`. */
export function methodOf(path: string, descriptors = readDescriptors()) {
  const [service, name] = path.split('/');
  const found = createFileRegistry(descriptors)
    .getService(`imageanalysis.v1.${service}`)
    ?.methods.find((method) => method.name === name);
  if (found === undefined) throw new Error(`no method ${path}`);
  return found;
}

interface CallOptions {
  readonly apiKey?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Calls a unary method. @returns the response, as JSON */
export async function callUnary(
  transport: Transport,
  path: string,
  request: Record<string, unknown>,
  { apiKey = 'key-of-the-tests', signal, timeoutMs }: CallOptions = {},
): Promise<JsonObject> {
  const method = methodOf(path) as DescMethodUnary;
  const { message } = await transport.unary(method, signal, timeoutMs, { apikey: apiKey }, request);
  return toJson(method.output, message) as JsonObject;
}

/** Calls a method that answers with a stream. */
export async function* callStream(
  transport: Transport,
  method: DescMethodServerStreaming,
  request: Record<string, unknown>,
): AsyncGenerator<JsonObject> {
  const requests = (async function* () {
    yield await Promise.resolve(request);
  })();
  const { message } = await transport.stream(method, undefined, undefined, { apikey: 'key-of-the-tests' }, requests);
  for await (const each of message) yield toJson(method.output, each) as JsonObject;
}

/** What a page reads of a refusal. */
export function readRefused(error: unknown) {
  if (!(error instanceof ConnectError)) throw error;
  const details = new Map(
    error.details.map((detail) => ('type' in detail ? [detail.type, Buffer.from(detail.value)] : ['', Buffer.of()])),
  );
  const info = ErrorInfo.decode(details.get('google.rpc.ErrorInfo') ?? Buffer.of());
  const retry = details.get('google.rpc.RetryInfo');
  return {
    code: Code[error.code],
    message: error.rawMessage,
    reason: info.reason,
    domain: info.domain,
    details: info.metadata,
    retryAfterSeconds: retry && RetryInfo.decode(retry).retryDelay?.seconds,
  };
}
