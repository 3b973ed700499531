import { readFileSync } from 'node:fs';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { MessageTypeDefinition, PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { service as health } from 'grpc-health-check';

/**
 * Reflection of the services named, and of health. The descriptors are those that buf makes of the protos: proto-loader's
 * name no imports, so that callers such as grpcurl cannot put them together.
 *
 * @param descriptorSet a FileDescriptorSet
 */
export function createReflection(
  services: readonly string[],
  descriptorSet: URL,
): ReflectionService {
  // Reflection reads nothing else of a package's definition.
  const fileDescriptorProtos = [...readFiles(descriptorSet), ...healthFiles()];
  const protos = { files: { fileDescriptorProtos } };
  return new ReflectionService(protos as unknown as PackageDefinition, {
    services: [...services, 'grpc.health.v1.Health'],
  });
}

/** The health protocol imports nothing, so that proto-loader's description of it is whole. */
function healthFiles(): Buffer[] {
  const { requestType } = health['Check'] as unknown as {
    requestType: MessageTypeDefinition<object, object>;
  };
  return requestType.fileDescriptorProtos;
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
