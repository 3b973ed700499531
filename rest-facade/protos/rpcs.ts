import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromJSON, type MethodDefinition } from '@grpc/proto-loader';
import protobuf from 'protobufjs';
import type { RestService } from '../../generated/imageanalysis/v1/rest.js';
import { publicApi } from '../apis.js';
import { optionOf } from './read-option.js';

/** Folder of the protos, relative to `dist/rest-facade/protos/`. */
const protoDir = fileURLToPath(new URL('../../../proto', import.meta.url));

/** The headers that a key may have, which is the metadata that the core wants it in. */
export type KeyHeader = 'apikey' | 'adminkey';

/** One RPC: as proto-loader gives it to be called, and as its proto describes it. */
export interface Rpc extends MethodDefinition<object, object> {
  readonly method: protobuf.Method;
  readonly request: protobuf.Type;
  readonly response: protobuf.Type;
  /** The header of the key that its service needs. */
  readonly key: KeyHeader;
  /** Whether its request has a picture, or several; false for a stream of such requests. */
  readonly hasPicture: boolean;
}

/**
 * The RPCs of the service definitions, by default those of the public API, with their options and comments. Messages
 * have the names of the proto (`min_score`), enums their full names, bytes are Buffers, absent messages `null`.
 */
export function loadRpcs(files = publicApi.protoFiles, folders?: readonly string[]): Rpc[] {
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
    const service = root.lookupService(name);
    const { methods } = service;
    const key = (optionOf<RestService>(service, 'rest_service').key || 'apikey') as KeyHeader;
    return Object.entries(definition).map(([rpc, own]) => {
      const method = methods[rpc] as protobuf.Method;
      const request = method.resolvedRequestType as protobuf.Type;
      const response = method.resolvedResponseType as protobuf.Type;
      const hasPicture = request.fieldsArray.some(({ type }) => type === 'bytes');
      return { ...own, method, request, response, key, hasPicture };
    });
  });
}

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
  // Also where their options are defined.
  root.loadSync(['imageanalysis/v1/rest.proto', ...files], { keepCase: true, alternateCommentMode: true });
  root.resolveAll();
  return root;
}
