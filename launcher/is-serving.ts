import { Client, credentials, type MethodDefinition } from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';

const checkTimeoutMs = 1_000;

interface HealthCheckResponse {
  readonly status: string;
}

// The package types its service by index; the method is part of the health protocol.
const check = healthService['Check'] as MethodDefinition<{ service: string }, HealthCheckResponse>;

/** Asks a gRPC server's health service for the server as a whole; false when it cannot be reached. */
export async function isGrpcServing(address: string): Promise<boolean> {
  const client = new Client(address, credentials.createInsecure());
  try {
    return await new Promise<boolean>((resolve) => {
      client.makeUnaryRequest(
        check.path,
        check.requestSerialize,
        check.responseDeserialize,
        { service: '' },
        { deadline: Date.now() + checkTimeoutMs },
        (error, response) => {
          resolve(!error && response?.status === 'SERVING');
        },
      );
    });
  } finally {
    client.close();
  }
}

/** Whether an HTTP address answers 200; false when it cannot be reached. */
export async function isHttpServing(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(checkTimeoutMs) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
