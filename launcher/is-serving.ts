import http from 'node:http';
import https from 'node:https';
import { connect } from 'node:net';
import type { MethodDefinition } from '@grpc/grpc-js';

const checkTimeoutMs = 1_000;

/** TLS without verifying the certificate: the process is on the same machine. */
const unverified = { rejectUnauthorized: false };

/** Whether an HTTP or HTTPS URL returns 200, whatever its certificate; false if it cannot be reached. */
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

/** Whether a TCP port accepts connections. */
export function isListening(address: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, signal: AbortSignal.timeout(checkTimeoutMs) }, () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}

/**
 * Asks a gRPC server's health service about the server as a whole; false if it cannot be reached.
 *
 * @param isTls over TLS, without verifying the certificate
 */
export async function isGrpcServing(address: string, isTls = false): Promise<boolean> {
  // Only this check needs these packages, which are half of what a health check costs.
  const { Client, credentials } = await import('@grpc/grpc-js');
  const { service } = await import('grpc-health-check');
  // The package types its service by index; the method is part of the health protocol.
  const check = service['Check'] as MethodDefinition<{ service: string }, { status: string }>;
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

/**
 * Which process a container runs, judging by the command line of its first process in `/proc/1/cmdline`. If it
 * runs both, the facade, which vouches for the core too.
 */
export function whichProcess(commandLine: string): 'core' | 'facade' {
  return commandLine.includes('dist/core-server/main.js') ? 'core' : 'facade';
}
