import { Command, InvalidArgumentError, Option } from 'commander';
import type { Operation } from '../../../../generated/imageanalysis/v1/admin.js';
import { companyNameRule } from '../../../access/companies/company-name.js';
import { generatePassword } from '../../../access/companies/password.js';
import { scoreRule } from '../../../common/validate.js';
import type { AdminHandlers } from '../service.js';
import { apiKeysToTable, apiKeyToJson, companiesToTable, companyToJson, operationsByName } from './output.js';

interface AdminCliDependencies {
  /** Opens the store, which must exist unless the work `mayCreate` it, does the work and closes the store. */
  readonly withHandlers: <T>(
    work: (handlers: AdminHandlers) => Promise<T>,
    options?: { readonly mayCreate: boolean },
  ) => Promise<T>;
  readonly backUp: (file: string) => Promise<void>;
  readonly write: (text: string) => void;
  readonly readPassword: () => Promise<string>;
}

/** The command `npm run admin --`. */
export function createAdminProgram(deps: AdminCliDependencies): Command {
  const { backUp, write } = deps;
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
  addKeys(program.command('keys').description('issue, list and revoke API keys'), deps);
  addCompanies(program.command('companies').description('register companies and set their passwords'), deps);
  for (const { commands } of program.commands) for (const command of commands) command.option('--json', 'print JSON');
  program
    .command('backup')
    .description('copy the SQLite store to a new file; for PostgreSQL, use pg_dump')
    .argument('<file>', 'the file to create')
    .action(async (file: string) => {
      await backUp(file);
      write(`Wrote ${file}.`);
    });
  return program;
}

function addKeys(keys: Command, { withHandlers, write }: AdminCliDependencies): void {
  const names = [...operationsByName.keys()];
  keys
    .command('create')
    .description('create an API key and print it; it cannot be shown again')
    .requiredOption('--label <text>', 'whose key it is')
    .option('--operations <names>', `what it may be used for: ${names.join(',')} (default: all)`, parseOperations)
    .option('--expires <date>', 'when it expires: 2027-01-01 (UTC) or an ISO 8601 time', parseTime)
    .action(async (options: JsonOption & { label: string; operations?: Operation[]; expires?: Date }) => {
      const { label, operations = [], expires: expireTime, json } = options;
      const { apiKey, secret } = await withHandlers(
        (handlers) => handlers.createApiKey({ label, operations, expireTime }),
        { mayCreate: true },
      );
      const text = `${secret}\nKeep it: it cannot be shown again. Its id is ${apiKey.id}.`;
      write(json ? JSON.stringify({ ...apiKeyToJson(apiKey), key: secret }) : text);
    });

  keys
    .command('list')
    .description('list the API keys, newest first, including revoked and expired ones')
    .action(async ({ json }: JsonOption) => {
      const pages = await withHandlers((handlers) => readAll((page) => handlers.listApiKeys(page)));
      const apiKeys = pages.flatMap((page) => page.apiKeys);
      write(json ? JSON.stringify(apiKeys.map(apiKeyToJson)) : apiKeysToTable(apiKeys));
    });

  keys
    .command('revoke')
    .description('revoke an API key; the next call with it is refused')
    .argument('<id>', 'public id, the first two parts of the key: ia_0123456789ab')
    .action(async (id: string, { json }: JsonOption) => {
      const { apiKey } = await withHandlers((handlers) => handlers.revokeApiKey({ id }));
      write(json ? JSON.stringify(apiKeyToJson(apiKey)) : `Revoked ${apiKey.id}.`);
    });
}

function addCompanies(companies: Command, deps: AdminCliDependencies): void {
  const { withHandlers, write } = deps;
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

/** All pages of a list. */
async function readAll<Page extends { readonly nextPageToken?: string | undefined }>(
  list: (request: { readonly pageToken: string | undefined }) => Promise<Page>,
): Promise<Page[]> {
  const pages: Page[] = [];
  do pages.push(await list({ pageToken: pages.at(-1)?.nextPageToken }));
  while (pages.at(-1)?.nextPageToken !== undefined);
  return pages;
}

interface JsonOption {
  readonly json?: true;
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

function parseOperations(text: string): Operation[] {
  return text.split(',').map((name) => {
    const operation = operationsByName.get(name.trim());
    if (operation !== undefined) return operation;
    const wish = [...operationsByName.keys()].join(', ');
    throw new InvalidArgumentError(`"${name}" is not an operation, want any of ${wish}.`);
  });
}

function parseScore(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`"${text}" is not a score, want ${scoreRule}.`);
}

const datePattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

function parseTime(text: string): Date {
  const time = new Date(text);
  // JavaScript reads 30 February as 2 March.
  const dayExists = new Date(`${text.slice(0, 10)}T00:00Z`).getUTCDate() === Number(text.slice(8, 10));
  if (datePattern.test(text) && !Number.isNaN(time.getTime()) && dayExists) return time;
  throw new InvalidArgumentError(
    `"${text}" is not a time, want 2027-01-01 (midnight UTC) or 2027-01-01T12:00:00+02:00.`,
  );
}
