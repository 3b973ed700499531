import http from 'node:http';
import https from 'node:https';
import { connect } from 'node:net';

const checkTimeoutMs = 1_000;

/** TLS without verifying the certificate: the process is on the same machine. */
const unverified = { rejectUnauthorized: false };

/** Whether an HTTP or HTTPS URL returns 200 in time, whatever its certificate; false if it cannot be reached. */
export function isHttpServing(url: string, timeoutMs = checkTimeoutMs): Promise<boolean> {
  const { get } = url.startsWith('https:') ? https : http;
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve) => {
    get(url, { agent: false, signal, ...unverified }, (response) => {
      response.destroy();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}

export function isListening(address: { host: string; port: number }, timeoutMs = checkTimeoutMs): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, signal: AbortSignal.timeout(timeoutMs) }, () => {
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
export async function isGrpcServing(address: string, isTls = false, timeoutMs = checkTimeoutMs): Promise<boolean> {
  // Only this check needs these packages, which are half of what a health check costs.
  const { credentials } = await import('@grpc/grpc-js');
  const { createCoreClient } = await import('../rest-facade/core-client/core-client.js');
  const core = createCoreClient(address, {
    credentials: isTls ? credentials.createSsl(null, null, null, unverified) : credentials.createInsecure(),
    // TLS requests a certificate by name; Node.js refuses an address instead.
    options: isTls ? { 'grpc.ssl_target_name_override': 'localhost' } : {},
  });
  try {
    await core.checkHealth(timeoutMs);
    return true;
  } catch {
    return false;
  } finally {
    core.close();
  }
}

/**
 * Which process a container runs, judging by the command line of its first process in `/proc/1/cmdline`. If it
 * runs both, the facade, which vouches for the core too.
 */
export function whichProcess(commandLine: string): 'core' | 'facade' {
  return commandLine.includes('dist/core-server/main.js') ? 'core' : 'facade';
}
