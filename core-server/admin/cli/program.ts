import { Command } from 'commander';
import type { AdminHandlers } from '../service.js';
import { createCompaniesCommand } from './companies.js';
import { createKeysCommand } from './keys.js';

/** What the admin command needs of the world. */
export interface AdminCliDependencies {
  /** Opens the store, does the work and closes the store. */
  readonly withHandlers: <T>(work: (handlers: AdminHandlers) => Promise<T>) => Promise<T>;
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
      'Issues API keys and registers companies, in the store that the core uses.\n' +
        'It may run while the core runs; what it changes counts from the next call on.',
    )
    .addHelpText(
      'after',
      '\nThe store is that of CORE_DATA_DIR or DATABASE_URL, as for the core.\n' +
        'In scripts: npm run --silent admin -- keys create --label ci --json',
    );
  program.addCommand(createKeysCommand(deps));
  program.addCommand(createCompaniesCommand(deps));
  return program;
}
