import type protobuf from 'protobufjs';

/** The gRPC code that an error reason comes with; undefined for values of other enumerations. */
export function grpcCodeOf({ valuesOptions }: protobuf.Enum, value: string): string | undefined {
  return valuesOptions?.[value]?.['(grpc_code)'] as string | undefined;
}
