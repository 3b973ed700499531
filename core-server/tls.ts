import { readFile } from 'node:fs/promises';
import { ServerCredentials } from '@grpc/grpc-js';
import type { CoreConfig } from './config.js';

type TlsConfig = Pick<CoreConfig, 'CORE_TLS_CERT' | 'CORE_TLS_KEY' | 'CORE_TLS_CLIENT_CA'>;

/**
 * What the gRPC ports prove themselves with: plain text unless a certificate is configured. With
 * `CORE_TLS_CLIENT_CA` only clients with a certificate of that authority get through (mutual TLS).
 * The files are read once; a renewed certificate is taken at the next start.
 *
 * @throws Error naming the setting whose file cannot be read, or saying that OpenSSL refuses them.
 */
export async function loadServerCredentials(config: TlsConfig): Promise<ServerCredentials> {
  const certificate = await readPem('CORE_TLS_CERT', config.CORE_TLS_CERT);
  const key = await readPem('CORE_TLS_KEY', config.CORE_TLS_KEY);
  const clientAuthority = await readPem('CORE_TLS_CLIENT_CA', config.CORE_TLS_CLIENT_CA);
  if (certificate === null || key === null) return ServerCredentials.createInsecure();
  return ServerCredentials.createSsl(
    clientAuthority,
    [{ cert_chain: certificate, private_key: key }],
    clientAuthority !== null,
  );
}

async function readPem(setting: string, file: string | undefined): Promise<Buffer | null> {
  if (file === undefined) return null;
  try {
    return await readFile(file);
  } catch (cause) {
    throw new Error(`${setting} is ${file}, want a PEM file that can be read`, { cause });
  }
}
