import { randomBytes } from 'node:crypto';
import { CommanderError, type Command } from 'commander';
import { createApiKeys } from './access/api-keys.js';
import { createCompanies } from './access/companies.js';
import { createFailureLimiter } from './access/failure-limiter.js';
import { createKnexApiKeyStore } from './access/knex-api-key-store.js';
import { createKnexCompanyStore } from './access/knex-company-store.js';
import { createPasswordHasher } from './access/password.js';
import { createWorkLimiter } from './access/work-limiter.js';
import { createAdminProgram, type AdminCliDependencies } from './admin/cli/program.js';
import { readPassword } from './admin/cli/read-password.js';
import { createAdminHandlers } from './admin/service.js';
import { createConfig } from './config.js';
import { createDatabase } from './db/knex.js';
import { ServiceError } from './errors.js';
import { exitCodeOf, exitCodes } from '../runtime/exit-codes.js';

const now = (): Date => new Date();

const withHandlers: AdminCliDependencies['withHandlers'] = async (work) => {
  const config = createConfig(process.env);
  const db = await createDatabase({ url: config.DATABASE_URL, dataDir: config.CORE_DATA_DIR });
  try {
    const handlers = createAdminHandlers({
      apiKeys: createApiKeys({ store: createKnexApiKeyStore(db), now, randomBytes }),
      companies: createCompanies({
        store: createKnexCompanyStore(db),
        hasher: createPasswordHasher({ randomBytes }),
        limiter: createWorkLimiter({ maxRunning: 1, maxWaiting: 0 }),
        failures: createFailureLimiter(),
        now,
      }),
      now,
    });
    return await work(handlers);
  } finally {
    await db.destroy();
  }
};

/** @returns the exit code */
async function run(program: Command, argv: readonly string[]): Promise<number> {
  throwInsteadOfExit(program);
  try {
    await program.parseAsync(argv);
    return 0;
  } catch (caught) {
    if (caught instanceof CommanderError) return caught.exitCode === 0 ? 0 : exitCodes.mistaken;
    process.stderr.write(`error: ${describe(caught)}\n`);
    return exitCodeOf(caught);
  }
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  command.commands.forEach(throwInsteadOfExit);
}

/** Here, unlike over the wire, the reader may know what went wrong underneath. */
function describe(caught: unknown): string {
  if (!(caught instanceof Error)) return String(caught);
  const hidden = caught instanceof ServiceError && caught.cause instanceof Error;
  return hidden ? `${caught.message} (${(caught.cause as Error).message})` : caught.message;
}

const program = createAdminProgram({
  withHandlers,
  write: (text) => process.stdout.write(`${text}\n`),
  readPassword: () => readPassword(process.stdin, process.stderr),
  generatePassword: () => randomBytes(15).toString('base64url'),
  now,
});
process.exitCode = await run(program, process.argv);
