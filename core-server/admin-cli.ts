import { CommanderError } from 'commander';
import { ConfigError } from '../runtime/errors/config-error.js';
import { codeOfReason } from '../runtime/errors/reasons.js';
import { Refusal } from '../runtime/errors/refusal.js';
import { exitCodeOf, exitCodes } from '../runtime/process/exit-codes.js';
import { createAccess } from './access/create-access.js';
import { createConfig } from './compose/config.js';
import { createAdminProgram } from './features/admin/cli/program.js';
import { readPassword } from './features/admin/cli/read-password.js';
import { createAdminHandlers } from './features/admin/service.js';
import { backUp } from './store/back-up.js';
import {
  createDatabase,
  type Database,
  type DatabaseOptions,
  describePlace,
  hasStore,
  openDatabase,
} from './store/database.js';

/**
 * Does the work on the store and closes it. A store that is missing and may not be means a mistyped folder or database, which
 * would look like a service without keys.
 *
 * @param open brings its tables up to date or leaves them as they are
 * @throws ConfigError if it does not exist and may not be created
 */
async function withStore<T>(
  mayCreate: boolean,
  open: (place: DatabaseOptions) => Database | Promise<Database>,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { DATABASE_URL: url, CORE_DATA_DIR: dataDir } = createConfig(process.env);
  const place = { url, dataDir };
  const isMissing = !(await hasStore(place));
  if (isMissing && !mayCreate) throw new ConfigError(`there is no store ${describePlace(place)}: want that of a core`);
  const db = await open(place);
  if (isMissing) process.stderr.write(`created a new store: ${describePlace(place)}\n`);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** Here, unlike over the network, the reader may know the underlying cause. */
function describe(caught: unknown): string {
  if (!(caught instanceof Error)) return String(caught);
  const hidden = caught instanceof Refusal && caught.cause instanceof Error;
  return hidden ? `${caught.message} (${(caught.cause as Error).message})` : caught.message;
}

// Nobody reads the pipe any more, or the disk is full: a new key or password is lost, so even the former is said.
process.stdout.on('error', ({ message }) => {
  process.stderr.write(`error: the answer was lost (${message}), but the command was carried out\n`);
  process.exit(exitCodes.failed);
});

const program = createAdminProgram({
  withHandlers: (work, { mayCreate } = { mayCreate: false }) =>
    withStore(mayCreate, createDatabase, (db) => work(createAdminHandlers(createAccess(db)))),
  backUp: async (file) => {
    if (createConfig(process.env).DATABASE_URL !== undefined)
      throw new ConfigError('DATABASE_URL is set: want pg_dump for its backup');
    // As it is: a copy made before an upgrade is one that the older version can read.
    await withStore(false, openDatabase, (db) => backUp(db, file));
  },
  write: (text) => process.stdout.write(`${text}\n`),
  readPassword: () => readPassword(process.stdin, process.stderr),
});
try {
  await program.parseAsync(process.argv);
} catch (caught) {
  if (caught instanceof CommanderError) process.exitCode = caught.exitCode === 0 ? 0 : exitCodes.mistaken;
  else {
    process.stderr.write(`error: ${describe(caught)}\n`);
    const isMistaken = caught instanceof Refusal && caught.code === codeOfReason.INVALID_FIELD;
    process.exitCode = isMistaken ? exitCodes.mistaken : exitCodeOf(caught);
  }
}
