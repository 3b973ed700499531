import { Client, credentials, type MethodDefinition } from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { checkTimeoutMs, unverified } from './is-serving.js';

interface HealthCheckResponse {
  readonly status: string;
}

// The package types its service by index; the method is part of the health protocol.
const check = healthService['Check'] as MethodDefinition<{ service: string }, HealthCheckResponse>;

/**
 * Asks a gRPC server's health service about the server as a whole; false if it cannot be reached.
 *
 * @param isTls over TLS, without verifying the certificate
 */
export async function isGrpcServing(address: string, isTls = false): Promise<boolean> {
  const client = isTls
    ? new Client(address, credentials.createSsl(null, null, null, unverified), {
        // TLS requests a certificate by name; Node.js refuses an address instead.
        'grpc.ssl_target_name_override': 'localhost',
      })
    : new Client(address, credentials.createInsecure());
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
