import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromJSON, type MethodDefinition } from '@grpc/proto-loader';
import protobuf from 'protobufjs';

/** Folder of the protos, relative to `dist/rest-facade/`. */
const protoDir = fileURLToPath(new URL('../../proto', import.meta.url));

/** Services that are available over REST. */
const protoFiles = [
  'imageanalysis/v1/face_detection.proto',
  'imageanalysis/v1/score_config.proto',
  'imageanalysis/v1/meter_reading.proto',
  'imageanalysis/v1/version.proto',
];

/** One RPC: as proto-loader gives it to be called, and as its proto describes it. */
export interface Rpc extends MethodDefinition<object, object> {
  readonly method: protobuf.Method;
  readonly request: protobuf.Type;
  readonly response: protobuf.Type;
}

/**
 * The RPCs of the service definitions, with their options and comments.
 * Messages have the names of the proto (`min_score`), enums their full names, bytes are Buffers,
 * absent messages `null`.
 */
export function loadRpcs(files = protoFiles, folders?: readonly string[]): Rpc[] {
  const root = readProtos(files, folders);
  // Built of what is read already, since it drops comments and the options of fields.
  const definitions = fromJSON(root.toJSON(), {
    keepCase: true,
    longs: String,
    enums: String,
    bytes: Buffer,
    defaults: true,
  });
  return Object.entries(definitions).flatMap(([name, definition]) => {
    // Messages and enums carry a `format`, services do not.
    if ('format' in definition) return [];
    const { methods } = root.lookupService(name);
    return Object.entries(definition).map(([rpc, own]) => {
      const method = methods[rpc] as protobuf.Method;
      const { resolvedRequestType: request, resolvedResponseType: response } = method;
      return { ...own, method, request, response } as Rpc;
    });
  });
}

/** Where the options of the protos are defined. */
const optionsFile = 'imageanalysis/v1/rest.proto';

/**
 * Reads protos with their comments and options.
 * @param files under one of the folders
 * @throws Error when one cannot be read
 */
export function readProtos(files: readonly string[], folders: readonly string[] = [protoDir]): protobuf.Root {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => {
    if (protobuf.common.get(target) !== null) return target;
    const paths = folders.map((folder) => join(folder, target));
    return paths.find((path) => existsSync(path)) ?? target;
  };
  root.loadSync([optionsFile, ...files], { keepCase: true, alternateCommentMode: true });
  root.resolveAll();
  return root;
}
