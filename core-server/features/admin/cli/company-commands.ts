import { type Command, InvalidArgumentError, Option } from 'commander';
import { companyNameRule } from '../../../access/companies/company-name.js';
import { generatePassword } from '../../../access/companies/password.js';
import { scoreRule } from '../../../common/validate.js';
import { type AdminCliDependencies, type JsonOption, readAll } from './command.js';
import { companiesToTable, companyToJson } from './output.js';

export function addCompanies(companies: Command, deps: AdminCliDependencies): void {
  const { withHandlers, write } = deps;
  companies.addHelpText('afterAll', '\nA name that begins with "-" comes behind "--": companies delete -- -x');
  withPasswordOptions(companies.command('create'))
    .description('register a company; prints its password if that was generated')
    .argument('<name>', companyNameRule)
    .action(async (name: string, options: PasswordOptions) => {
      const { password, shown, told } = await choosePassword(options, deps);
      const { company } = await withHandlers((handlers) => handlers.createCompany({ name, password }), {
        mayCreate: true,
      });
      write(options.json ? JSON.stringify({ ...companyToJson(company), ...shown }) : `Registered ${name}.${told}`);
    });

  withPasswordOptions(companies.command('set-password'))
    .description('set the password of a company; prints it if it was generated')
    .argument('<name>', 'a registered company')
    .action(async (name: string, options: PasswordOptions) => {
      const { password, shown, told } = await choosePassword(options, deps);
      await withHandlers((handlers) => handlers.setCompanyPassword({ name, password }));
      write(options.json ? JSON.stringify({ name, ...shown }) : `Set the password of ${name}.${told}`);
    });

  companies
    .command('set-score')
    .description('set the detection score of a company')
    .argument('<name>', 'a registered company')
    .argument('<score>', scoreRule, parseScore)
    .action(async (name: string, detectionScore: number, { json }: JsonOption) => {
      const { company } = await withHandlers((handlers) => handlers.setCompanyScore({ name, detectionScore }));
      write(json ? JSON.stringify(companyToJson(company)) : `Set the score of ${name} to ${company.detectionScore}.`);
    });

  companies
    .command('reset-score')
    .description("reset the detection score of a company to the service's default")
    .argument('<name>', 'a registered company')
    .action(async (name: string, { json }: JsonOption) => {
      const { company } = await withHandlers((handlers) => handlers.deleteCompanyScore({ name }));
      write(json ? JSON.stringify(companyToJson(company)) : `Reset the score of ${name}.`);
    });

  companies
    .command('list')
    .description('list the companies by name')
    .action(async ({ json }: JsonOption) => {
      const pages = await withHandlers((handlers) => readAll((page) => handlers.listCompanies(page)));
      const all = pages.flatMap((page) => page.companies);
      write(json ? JSON.stringify(all.map(companyToJson)) : companiesToTable(all));
    });

  companies
    .command('delete')
    .description('delete a company and its score')
    .argument('<name>', 'a registered company')
    .action(async (name: string, { json }: JsonOption) => {
      await withHandlers((handlers) => handlers.deleteCompany({ name }));
      write(json ? JSON.stringify({ name }) : `Deleted ${name}.`);
    });
}

interface PasswordOptions extends JsonOption {
  readonly password?: string;
  readonly passwordStdin?: true;
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
    );
}

/** A password, and how an answer shows it, as JSON and as text: only if nobody else knows it so far. */
async function choosePassword(
  options: PasswordOptions,
  { readPassword }: AdminCliDependencies,
): Promise<{ readonly password: string; readonly shown?: { readonly password: string }; readonly told: string }> {
  const given = options.passwordStdin ? await readPassword() : options.password;
  if (given !== undefined) return { password: given, told: '' };
  const password = generatePassword();
  return { password, shown: { password }, told: ` Its password: ${password}\nKeep it: it cannot be shown again.` };
}

function parseScore(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`"${text}" is not a score, want ${scoreRule}.`);
}
