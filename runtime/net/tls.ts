import { readFile } from 'node:fs/promises';
import tls from 'node:tls';
import { ConfigError } from '../settings.js';

/**
 * Reads a PEM file; only once, so a renewed file takes effect at the next start.
 * @throws ConfigError naming the variable whose file cannot be read
 */
export async function readPem(variable: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch {
    throw new ConfigError(
      `${variable} is ${JSON.stringify(file)}: want a PEM file that can be read`,
    );
  }
}

/**
 * TLS 1.3, and the TLS 1.2 suites with authenticated encryption and forward secrecy: "intermediate" of https://wiki.mozilla.org/Security/Server_Side_TLS.
 */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];

/**
 * From now on, this process uses only these ciphers for TLS. It applies to the whole process, since grpc-js
 * takes a list of its own only from the environment.
 */
export function restrictCiphers(): void {
  tls.DEFAULT_CIPHERS = ciphers.join(':');
}
