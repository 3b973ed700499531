import { readFileSync } from 'node:fs';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';

/** Among the protos for its description: that of grpc-health-check has a map as callers do not take it. */
const health = 'grpc.health.v1.Health';

/**
 * Reflection of health and the services named. The descriptors are those that buf makes of the protos: proto-loader's
 * name no imports, so that callers such as grpcurl cannot put them together.
 *
 * @param descriptorSet a FileDescriptorSet
 */
export function createReflection(
  services: readonly string[],
  descriptorSet: URL,
): ReflectionService {
  // Reflection reads nothing else of a package's definition.
  const protos = { files: { fileDescriptorProtos: readFiles(descriptorSet) } };
  return new ReflectionService(protos as unknown as PackageDefinition, {
    services: [health, ...services],
  });
}

/** The files of the set, each still encoded: they are all that a set has. */
function readFiles(descriptorSet: URL): Buffer[] {
  const reader = new BinaryReader(readFileSync(descriptorSet));
  const files: Buffer[] = [];
  while (reader.pos < reader.len) {
    reader.tag();
    files.push(Buffer.from(reader.bytes()));
  }
  return files;
}
