import { Command, Option } from 'commander';
import { companyNameRule } from '../../../access/companies/company-name.js';
import type { AdminCliDependencies } from './dependencies.js';
import { companiesToTable, companyToJson, type JsonOption } from './output.js';

interface PasswordOptions extends JsonOption {
  readonly password?: string;
  readonly passwordStdin?: true;
}

/** `companies create|set-password|list|delete`. */
export function createCompaniesCommand(deps: AdminCliDependencies): Command {
  const { withHandlers, write } = deps;
  const companies = new Command('companies').description('register companies and set their passwords');

  withPasswordOptions(companies.command('create'))
    .description('register a company; prints its password if that was generated')
    .argument('<name>', companyNameRule)
    .action(async (name: string, options: PasswordOptions) => {
      const { password, shown } = await choosePassword(options, deps);
      const { company } = await withHandlers((handlers) => handlers.createCompany({ name, password }), {
        mayCreate: true,
      });
      if (company === undefined) throw new Error('no company came back');
      if (options.json) write(JSON.stringify({ ...companyToJson(company), ...shown }));
      else write(`Registered ${name}.${describePassword(shown)}`);
    });

  withPasswordOptions(companies.command('set-password'))
    .description('set the password of a company; prints it if it was generated')
    .argument('<name>', 'a registered company')
    .action(async (name: string, options: PasswordOptions) => {
      const { password, shown } = await choosePassword(options, deps);
      await withHandlers((handlers) => handlers.setCompanyPassword({ name, password }));
      if (options.json) write(JSON.stringify({ name, ...shown }));
      else write(`Set the password of ${name}.${describePassword(shown)}`);
    });

  companies
    .command('list')
    .description('list the companies by name')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonOption) => {
      const { companies: all } = await withHandlers((handlers) => handlers.listCompanies({}));
      if (json) write(JSON.stringify(all.map(companyToJson)));
      else write(all.length === 0 ? 'There are no companies.' : companiesToTable(all));
    });

  companies
    .command('delete')
    .description('delete a company and its score')
    .argument('<name>', 'a registered company')
    .option('--json', 'print JSON')
    .action(async (name: string, { json }: JsonOption) => {
      await withHandlers((handlers) => handlers.deleteCompany({ name }));
      write(json ? JSON.stringify({ name }) : `Deleted ${name}.`);
    });

  return companies;
}

function withPasswordOptions(command: Command): Command {
  return command
    .option('--password-stdin', 'read the password from standard input')
    .addOption(
      new Option(
        '--password <text>',
        'the password itself; anyone on this machine can see it while the command is running, ' +
          'so prefer --password-stdin (default: generated)',
      ).conflicts('passwordStdin'),
    )
    .option('--json', 'print JSON');
}

interface ChosenPassword {
  readonly password: string;
  /** Includes the password if only this command knows it so far. */
  readonly shown: { readonly password?: string };
}

async function choosePassword(
  options: PasswordOptions,
  { readPassword, generatePassword }: AdminCliDependencies,
): Promise<ChosenPassword> {
  if (options.passwordStdin) return { password: await readPassword(), shown: {} };
  if (options.password !== undefined) return { password: options.password, shown: {} };
  const password = generatePassword();
  return { password, shown: { password } };
}

function describePassword({ password }: ChosenPassword['shown']): string {
  if (password === undefined) return '';
  return ` Its password: ${password}\nKeep it: it cannot be shown again.`;
}
