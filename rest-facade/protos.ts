import { fileURLToPath } from 'node:url';
import { loadSync, type MethodDefinition } from '@grpc/proto-loader';

/** Folder of the protos, relative to `dist/rest-facade/`. */
export const protoDir = fileURLToPath(new URL('../../proto', import.meta.url));

/** Services that are available over REST. */
export const protoFiles = [
  'imageanalysis/v1/face_detection.proto',
  'imageanalysis/v1/score_config.proto',
  'imageanalysis/v1/meter_reading.proto',
];

/** One RPC as proto-loader gives it. */
export type Rpc = MethodDefinition<object, object>;

/**
 * The RPCs of the service definitions, method options included, read from the project's `proto/`.
 * Messages have the names of the proto (`min_score`), enums their full names, bytes are Buffers,
 * absent messages `null`.
 */
export function loadRpcs(files = protoFiles, includeDirs = [protoDir]): Rpc[] {
  const definitions = loadSync(files, {
    includeDirs,
    keepCase: true,
    longs: String,
    enums: String,
    bytes: Buffer,
    defaults: true,
  });
  return Object.values(definitions).flatMap((definition) =>
    // Messages and enums carry a `format`, services do not.
    'format' in definition ? [] : (Object.values(definition) as Rpc[]),
  );
}
