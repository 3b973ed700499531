import { type ChannelCredentials, type ChannelOptions, credentials } from '@grpc/grpc-js';
import { type Identity, readCertificates, readIdentity, restrictCiphers } from '../runtime/net/tls.js';
import type { Config } from './config.js';

/** How the core is verified, and how the facade authenticates to it. */
export interface CoreTrust {
  readonly credentials: ChannelCredentials;
  readonly options: ChannelOptions;
}

/** To a core without TLS. */
export const plainText: CoreTrust = { credentials: credentials.createInsecure(), options: {} };

/**
 * The facade's own certificate, if one is configured.
 * @throws ConfigError naming the variables whose files cannot be used
 */
export async function loadIdentity(
  config: Partial<Config>,
  prefix: 'REST_TLS' | 'REST_CORE_TLS',
): Promise<Identity | undefined> {
  const { [`${prefix}_CERT` as const]: certFile, [`${prefix}_KEY` as const]: keyFile } = config;
  if (certFile === undefined || keyFile === undefined) return undefined;
  const identity = await readIdentity(prefix, certFile, keyFile);
  restrictCiphers();
  return identity;
}

/**
 * Plain text unless the core's CA is configured.
 * @throws ConfigError naming the variables whose files cannot be used
 */
export async function loadCoreTrust(config: Partial<Config>): Promise<CoreTrust> {
  const { REST_CORE_TLS_CA: authorityFile, REST_CORE_TLS_NAME: name } = config;
  if (authorityFile === undefined) return plainText;
  const authority = await readCertificates('REST_CORE_TLS_CA', authorityFile);
  const own = await loadIdentity(config, 'REST_CORE_TLS');
  return {
    credentials: credentials.createSsl(authority, own?.key, own?.cert),
    options: name === undefined ? {} : { 'grpc.ssl_target_name_override': name },
  };
}
