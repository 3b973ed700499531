import http from 'node:http';
import https from 'node:https';
import { connect } from 'node:net';
import { Client, credentials, type MethodDefinition } from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';

const checkTimeoutMs = 1_000;

interface HealthCheckResponse {
  readonly status: string;
}

// The package types its service by index; the method is part of the health protocol.
const check = healthService['Check'] as MethodDefinition<{ service: string }, HealthCheckResponse>;

/** Over TLS whose certificate is not verified: for a process that is asked on its own machine. */
const unverified = { rejectUnauthorized: false };

/**
 * Asks a gRPC server's health service for the server as a whole; false when it cannot be reached.
 *
 * @param isTls asked over TLS, without a look at the certificate
 */
export async function isGrpcServing(address: string, isTls = false): Promise<boolean> {
  const client = isTls
    ? new Client(address, credentials.createSsl(null, null, null, unverified), {
        // TLS asks for a certificate by name; Node.js refuses an address in its place.
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

/** Whether an HTTP or HTTPS address answers 200, whatever its certificate; false when it cannot be reached. */
export function isHttpServing(url: string): Promise<boolean> {
  const { get } = url.startsWith('https:') ? https : http;
  const signal = AbortSignal.timeout(checkTimeoutMs);
  return new Promise((resolve) => {
    get(url, { agent: false, signal, ...unverified }, (response) => {
      response.destroy();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}

/** Whether a TCP port takes connections. */
export function isListening(address: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, signal: AbortSignal.timeout(checkTimeoutMs) }, () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
