import { type ChannelCredentials, Metadata } from '@grpc/grpc-js';
import * as admin from '../../generated/imageanalysis/v1/admin.js';
import { type Calls, createCalls } from './grpc-calls.js';
import { openClient } from './open-client.js';
import { trimKey } from './trim-key.js';

export interface AdminClientOptions {
  /** `host:port` of the administration port, or another gRPC target. */
  readonly address: string;
  /** `CORE_ADMIN_KEY` of the core. */
  readonly adminKey: string;
  /** Milliseconds per call, unless the call sets its own; 30,000 by default. */
  readonly timeoutMs?: number;
  /** For TLS; without it, the connection is plain text. */
  readonly credentials?: ChannelCredentials;
}

/**
 * Keys, companies and scores, for Node.js. Calls reject with a RefusedError, or with `signal.reason` once
 * aborted. None is retried automatically, since a key whose response was lost would be created twice.
 */
export interface AdminClient extends Calls<typeof admin.AdminServiceService> {
  /** Closes the connection, as an `ImageAnalysisClient` does. */
  close(): void;
}

export function createAdminClient(options: AdminClientOptions): AdminClient {
  const { address, adminKey, timeoutMs = 30_000 } = options;
  const client = openClient(address, options.credentials);
  const metadata = new Metadata();
  metadata.set('adminkey', trimKey('adminKey', adminKey));
  const calls = createCalls(client, metadata, timeoutMs, { retries: 0 });
  return { ...calls(admin.AdminServiceService, admin), close: () => client.close() };
}
