import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { createConfig } from '../../../core-server/compose/config.js';
import { type CoreOptions, startCore } from '../../../core-server/compose/core.js';

/** The key of AdminService of `startTestCore`. */
export const adminKey = 'admin-key-of-the-tests';

/** A core of this process. */
export interface TestCore extends Awaited<ReturnType<typeof startCore>> {
  /** Folder of its database file. */
  readonly dataDir: string;
}

/**
 * Starts a core of this process on free ports, with AdminService and a database of its own, and stops
 * it after the test.
 *
 * @param environment settings that differ from the defaults.
 */
export async function startTestCore(
  t: Pick<TestContext, 'after'>,
  environment: Record<string, string> = {},
  options: Partial<Pick<CoreOptions, 'log' | 'tracing' | 'workerUrl'>> = {},
): Promise<TestCore> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'image-analysis-'));
  const core = await startCore({
    log: pino({ level: 'silent' }),
    ...options,
    config: createConfig({
      CORE_PORT: '0',
      CORE_ADMIN_PORT: '0',
      CORE_ADMIN_KEY: adminKey,
      CORE_DATA_DIR: dataDir,
      CORE_WORKERS: '1',
      CORE_SHUTDOWN_GRACE_MS: '500',
      ...environment,
    }),
  });
  t.after(async () => {
    await core.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return { ...core, dataDir };
}
