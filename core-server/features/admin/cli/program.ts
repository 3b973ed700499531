import { Command } from 'commander';
import { createCompaniesCommand } from './companies.js';
import type { AdminCliDependencies } from './dependencies.js';
import { createKeysCommand } from './keys.js';

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

/** `backup <file>`. */
function createBackupCommand({ backUp, write }: AdminCliDependencies): Command {
  return new Command('backup')
    .description('copy the SQLite store to a new file; for PostgreSQL, use pg_dump')
    .argument('<file>', 'the file to create')
    .action(async (file: string) => {
      await backUp(file);
      write(`Wrote ${file}.`);
    });
}

/** `first-start`, for the launcher: prints JSON, or nothing if the store is in use already. */
function createFirstStartCommand({ registerDemo, write }: AdminCliDependencies): Command {
  return new Command('first-start').option('--json').action(async () => {
    const demo = await registerDemo();
    if (demo !== undefined) write(JSON.stringify(demo));
  });
}
