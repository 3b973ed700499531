import { credentials, type ChannelCredentials, type ChannelOptions } from '@grpc/grpc-js';
import { readPem, restrictCiphers } from '../runtime/tls.js';
import type { CoreTls, PemFiles } from './config.js';

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
  restrictCiphers();
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
