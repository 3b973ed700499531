import { type ChannelCredentials, type ChannelOptions, credentials } from '@grpc/grpc-js';
import { readCertificates, readIdentity } from '../../runtime/net/tls.js';
import type { Config } from '../config.js';

/** How the core is verified, and how the facade authenticates to it. */
export interface CoreTrust {
  readonly credentials: ChannelCredentials;
  readonly options?: ChannelOptions;
}

export const plainText: CoreTrust = { credentials: credentials.createInsecure() };

/** Plain text unless the core's CA is configured. @throws ConfigError naming variables whose files cannot be used */
export async function loadCoreTrust(config: Partial<Config>): Promise<CoreTrust> {
  const { REST_CORE_TLS_CA: authorityFile, REST_CORE_TLS_NAME: name } = config;
  if (authorityFile === undefined) return plainText;
  const authority = await readCertificates('REST_CORE_TLS_CA', authorityFile);
  const own = await readIdentity(
    ['REST_CORE_TLS_CERT', config.REST_CORE_TLS_CERT],
    ['REST_CORE_TLS_KEY', config.REST_CORE_TLS_KEY],
  );
  return {
    credentials: credentials.createSsl(authority, own?.key, own?.cert),
    options: name === undefined ? {} : { 'grpc.ssl_target_name_override': name },
  };
}
