import { ServerCredentials } from '@grpc/grpc-js';
import { readCertificates, readIdentity } from '../../runtime/net/tls.js';
import { limitHandshake } from './grpc-js-patches/server-options.js';

interface TlsConfig {
  readonly CORE_TLS_CERT?: string | undefined;
  readonly CORE_TLS_KEY?: string | undefined;
  readonly CORE_TLS_CLIENT_CA?: string | undefined;
  readonly CORE_MAX_DEADLINE_MS: number;
}

/** Node.js waits two minutes for a handshake. */
const maxHandshakeMs = 10_000;

/**
 * Credentials of the gRPC ports: plain text unless a certificate is configured. With `CORE_TLS_CLIENT_CA`, only
 * clients with a certificate from that CA are accepted (mutual TLS).
 *
 * @throws ConfigError naming the settings whose files cannot be used
 */
export async function loadServerCredentials(config: TlsConfig): Promise<ServerCredentials> {
  const { CORE_TLS_CERT: certFile, CORE_TLS_KEY: keyFile, CORE_TLS_CLIENT_CA: caFile } = config;
  const identity = await readIdentity(['CORE_TLS_CERT', certFile], ['CORE_TLS_KEY', keyFile]);
  if (identity === undefined) return ServerCredentials.createInsecure();
  const clientAuthority = caFile === undefined ? null : await readCertificates('CORE_TLS_CLIENT_CA', caFile);
  const credentials = ServerCredentials.createSsl(
    clientAuthority,
    [{ cert_chain: identity.cert, private_key: identity.key }],
    clientAuthority !== null,
  );
  limitHandshake(credentials, Math.min(maxHandshakeMs, config.CORE_MAX_DEADLINE_MS));
  return credentials;
}
