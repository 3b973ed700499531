import type { TestContext } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import { type Logger, pino } from 'pino';
import { createDatabase } from '../../../core-server/store/database.js';
import {
  AdminServiceClient,
  type CreateApiKeyResponse,
  type Operation,
} from '../../../generated/imageanalysis/v1/admin.js';
import { createConfig as createRestConfig } from '../../../rest-facade/config.js';
import { startRestFacade } from '../../../rest-facade/server/start-rest-facade.js';
import type { Tracing } from '../../../runtime/observe/tracing.js';
import { metadataWithKey, unaryCall } from '../net/grpc.js';
import { adminKey, startTestCore } from './start-core.js';

/** A core and a facade of this process on free ports, with a database of their own. */
export interface TestService {
  /** Address of the REST facade, without a slash at its end. */
  readonly rest: string;
  /** That of its administration port, undefined unless `REST_ADMIN_PORT` is set. */
  readonly restAdmin: string | undefined;
  /** Address of the gRPC core. */
  readonly grpc: string;
  /** An API key that may be used for everything. */
  readonly apiKey: string;
  /** Creates an API key that is limited to some operations, or that is over already. */
  createKey(options?: { operations?: Operation[]; expireTime?: Date }): Promise<{ id: string; secret: string }>;
  revokeKey(id: string): Promise<void>;
  createCompany(name: string, password: string): Promise<void>;
  /** The administration port and its key. */
  readonly admin: { readonly address: string; readonly key: string };
  /** Ports of the metrics, where they are on. */
  readonly metricsPorts: { readonly core: number | undefined; readonly facade: number | undefined };
  /** Stops the core, as SIGTERM does; the facade stays. */
  closeCore(): Promise<void>;
  /** Holds the database's write lock until the returned function is called. */
  lockDatabase(): Promise<() => Promise<void>>;
}

/** On a busy machine, a request that reads print takes longer than one may by default. */
const patience = '300000';

/**
 * Starts the whole service and stops it after the test.
 *
 * @param environment settings that differ from the defaults.
 * @param workerUrl module of the analysis workers, such as `scriptedWorkerUrl`; absent: the real one.
 */
export async function startService(
  t: Pick<TestContext, 'after'>,
  environment: Record<string, string> = {},
  log: Logger = pino({ level: 'silent' }),
  workerUrl?: URL,
  tracing?: { readonly core: Tracing; readonly facade: Tracing },
): Promise<TestService> {
  const settings = { CORE_MAX_DEADLINE_MS: patience, ...environment };
  const core = await startTestCore(t, settings, { log, workerUrl, ...(tracing && { tracing: tracing.core }) });
  const { dataDir } = core;
  const grpc = `127.0.0.1:${core.port}`;
  const facade = await startRestFacade({
    config: createRestConfig({
      REST_PORT: '0',
      REST_CORE_ADDRESS: grpc,
      REST_CORE_ADMIN_ADDRESS: `127.0.0.1:${core.adminPort}`,
      REST_SHUTDOWN_GRACE_MS: '500',
      REST_REQUEST_TIMEOUT_MS: patience,
      ...environment,
    }),
    log,
    ...(tracing && { tracing: tracing.facade }),
  });
  const admin = new AdminServiceClient(`127.0.0.1:${core.adminPort}`, credentials.createInsecure());
  const metadata = metadataWithKey('', { adminkey: adminKey });
  t.after(async () => {
    admin.close();
    await facade.close();
  });

  const createKey: TestService['createKey'] = async ({ operations = [], expireTime } = {}) => {
    const created = await unaryCall<CreateApiKeyResponse>((done) =>
      admin.createApiKey({ label: 'test', operations, expireTime }, metadata, done),
    );
    return { id: created.apiKey?.id ?? '', secret: created.secret };
  };
  return {
    rest: `http://127.0.0.1:${facade.port}`,
    restAdmin: facade.adminPort === undefined ? undefined : `http://127.0.0.1:${facade.adminPort}`,
    grpc,
    apiKey: (await createKey()).secret,
    createKey,
    async revokeKey(id) {
      await unaryCall((done) => admin.revokeApiKey({ id }, metadata, done));
    },
    async createCompany(name, password) {
      await unaryCall((done) => admin.createCompany({ name, password }, metadata, done));
    },
    admin: { address: `127.0.0.1:${core.adminPort}`, key: adminKey },
    closeCore: () => core.close(),
    metricsPorts: { core: core.metricsPort, facade: facade.metricsPort },
    async lockDatabase() {
      const db = await createDatabase({ dataDir });
      await db.raw('BEGIN IMMEDIATE');
      return async () => {
        await db.raw('ROLLBACK');
        await db.destroy();
      };
    },
  };
}
