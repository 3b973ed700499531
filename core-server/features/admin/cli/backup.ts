import { Command } from 'commander';
import type { AdminCliDependencies } from './dependencies.js';

/** `backup <file>`. */
export function createBackupCommand({ backUp, write }: AdminCliDependencies): Command {
  return new Command('backup')
    .description('copy the SQLite store to a new file; for PostgreSQL, use pg_dump')
    .argument('<file>', 'the file to create')
    .action(async (file: string) => {
      await backUp(file);
      write(`Wrote ${file}.`);
    });
}
