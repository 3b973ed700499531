import http from 'node:http';
import https from 'node:https';
import { connect } from 'node:net';

export const checkTimeoutMs = 1_000;

/** TLS without verifying the certificate: the process is on the same machine. */
export const unverified = { rejectUnauthorized: false };

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
