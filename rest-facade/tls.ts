import { readFile } from 'node:fs/promises';
import { credentials, type ChannelCredentials, type ChannelOptions } from '@grpc/grpc-js';
import { ConfigError, type CoreTls, type PemFiles } from './config.js';

// Files are read once; a renewed certificate is taken at the next start.

/** A certificate chain and its private key, PEM. */
export interface Identity {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** How the core is believed, and what the facade proves itself with to it. */
export interface CoreTrust {
  readonly credentials: ChannelCredentials;
  readonly options: ChannelOptions;
}

/** @throws ConfigError naming the variable whose file cannot be read. */
export async function loadIdentity(files: PemFiles, prefix: string): Promise<Identity> {
  const cert = await readPem(`${prefix}_CERT`, files.certFile);
  const key = await readPem(`${prefix}_KEY`, files.keyFile);
  return { cert, key };
}

/** @throws ConfigError naming the variable whose file cannot be read. */
export async function loadCoreTrust(tls: CoreTls | undefined): Promise<CoreTrust> {
  if (tls === undefined) return { credentials: credentials.createInsecure(), options: {} };
  const authority = await readPem('REST_CORE_TLS_CA', tls.authorityFile);
  const own = tls.identity && (await loadIdentity(tls.identity, 'REST_CORE_TLS'));
  return {
    credentials: credentials.createSsl(authority, own?.key, own?.cert),
    options: tls.name === undefined ? {} : { 'grpc.ssl_target_name_override': tls.name },
  };
}

async function readPem(variable: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch {
    throw new ConfigError(
      `${variable} is ${JSON.stringify(file)}: want a PEM file that can be read`,
    );
  }
}
