import { readFileSync } from 'node:fs';
import { createFileRegistry, type DescMethodUnary, fromBinary, type JsonObject, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-web';
import { detailsOfStatus } from './grpc.js';

/** The ways in which a page can call, by the client that pages use. */
export const transports: Readonly<Record<string, (baseUrl: string) => Transport>> = {
  'Connect with JSON': (baseUrl) => createConnectTransport({ baseUrl }),
  'Connect with Protobuf': (baseUrl) => createConnectTransport({ baseUrl, useBinaryFormat: true }),
  'gRPC-Web with Protobuf': (baseUrl) => createGrpcWebTransport({ baseUrl }),
  'gRPC-Web with JSON': (baseUrl) => createGrpcWebTransport({ baseUrl, useBinaryFormat: false }),
};

const descriptorsUrl = new URL('../../../../generated/descriptors.binpb', import.meta.url);
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(descriptorsUrl)));

/** A method by its path, `FaceDetectionService/DetectAllFaces`. */
function methodOf(path: string) {
  const [service, name] = path.split('/');
  const found = registry.getService(`imageanalysis.v1.${service}`)?.methods.find((method) => method.name === name);
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

/** What a page reads of a refusal. */
export function readRefused(error: unknown) {
  if (!(error instanceof ConnectError)) throw error;
  const details = error.details.flatMap((detail) =>
    'type' in detail ? [{ typeUrl: `/${detail.type}`, value: Buffer.from(detail.value) }] : [],
  );
  const { metadata, ...rest } = detailsOfStatus({ details });
  return { code: Code[error.code], message: error.rawMessage, details: metadata, ...rest };
}
