import { Command } from 'commander';
import type { AdminHandlers } from '../service.js';
import { createBackupCommand } from './backup.js';
import { createCompaniesCommand } from './companies.js';
import { createFirstStartCommand } from './first-start.js';
import { createKeysCommand } from './keys.js';

/** What the admin command needs from outside. */
export interface AdminCliDependencies {
  /** Opens the store, does the work and closes the store. */
  readonly withHandlers: <T>(work: (handlers: AdminHandlers) => Promise<T>) => Promise<T>;
  /** Copies the store to a new file. */
  readonly backUp: (file: string) => Promise<void>;
  /** Registers a demo in an empty store; undefined if it is in use already. */
  readonly registerDemo: () => Promise<unknown>;
  /** Writes one answer to the standard output. */
  readonly write: (text: string) => void;
  /** Reads a password from the standard input. */
  readonly readPassword: () => Promise<string>;
  /** Makes a password that nobody can guess. */
  readonly generatePassword: () => string;
  readonly now: () => Date;
}

/** The command `npm run admin --`. */
export function createAdminProgram(deps: AdminCliDependencies): Command {
  const program = new Command('admin')
    .description(
      "Issues API keys, registers companies and backs up the core's store.\n" +
        'It can be used while the core is running; changes apply from the next call on.',
    )
    .addHelpText(
      'after',
      '\nIt uses the store given by CORE_DATA_DIR or DATABASE_URL, like the core.\n' +
        'In scripts: npm run --silent admin -- keys create --label ci --json',
    );
  program.addCommand(createKeysCommand(deps));
  program.addCommand(createCompaniesCommand(deps));
  program.addCommand(createBackupCommand(deps));
  program.addCommand(createFirstStartCommand(deps), { hidden: true });
  return program;
}
