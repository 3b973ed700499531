import path from 'node:path';
import { Command } from 'commander';
import type { AdminCliDependencies } from './command.js';
import { addCompanies } from './company-commands.js';
import { addKeys } from './key-commands.js';

interface ProgramDependencies extends AdminCliDependencies {
  readonly backUp: (file: string) => Promise<void>;
}

/** The command `npm run admin --`, which throws a `CommanderError` where a command line is wrong or asks for help. */
export function createAdminProgram(deps: ProgramDependencies): Command {
  const { backUp, write } = deps;
  const program = new Command('admin')
    .exitOverride()
    .description(
      "Issues API keys, registers companies and backs up the core's store.\n" +
        'It can be used while the core is running; changes apply from the next call on.',
    )
    .addHelpText(
      'after',
      '\nIt uses the store given by CORE_DATA_DIR or DATABASE_URL, like the core.\n' +
        'In scripts: npm run --silent admin -- keys create --label ci --json',
    );
  addKeys(program.command('keys').description('issue, list and revoke API keys'), deps);
  addCompanies(
    program.command('companies').description('register, list and delete companies, set their passwords and scores'),
    deps,
  );
  for (const { commands } of program.commands) for (const command of commands) command.option('--json', 'print JSON');
  program
    .command('backup')
    .description('copy the SQLite store to a new file; for PostgreSQL, use pg_dump')
    .argument('<file>', 'the file to create')
    .action(async (file: string) => {
      const target = path.resolve(file);
      await backUp(target);
      write(`Wrote ${target}.`);
    });
  return program;
}
