import { Command, InvalidArgumentError } from 'commander';
import type { Operation } from '../../../../generated/imageanalysis/v1/admin.js';
import type { AdminCliDependencies } from './dependencies.js';
import { apiKeysToTable, apiKeyToJson, type JsonOption, operationsByName } from './output.js';

interface CreateOptions extends JsonOption {
  readonly label: string;
  readonly operations?: Operation[];
  readonly expires?: Date;
}

/** `keys create|list|revoke`. */
export function createKeysCommand(deps: AdminCliDependencies): Command {
  const { withHandlers, write, now } = deps;
  const keys = new Command('keys').description('issue, list and revoke API keys');

  keys
    .command('create')
    .description('create an API key and print it; it cannot be shown again')
    .requiredOption('--label <text>', 'whose key it is')
    .option(
      '--operations <names>',
      `what it may be used for: ${[...operationsByName.keys()].join(',')} (default: all)`,
      parseOperations,
    )
    .option('--expires <date>', 'when it expires: 2027-01-01 (UTC) or an ISO 8601 time', parseTime)
    .option('--json', 'print JSON')
    .action(async ({ label, operations = [], expires, json }: CreateOptions) => {
      const request = { label, operations, expireTime: expires };
      const { apiKey, secret } = await withHandlers((handlers) => handlers.createApiKey(request), {
        mayCreate: true,
      });
      if (apiKey === undefined) throw new Error('no key came back');
      if (json) write(JSON.stringify({ ...apiKeyToJson(apiKey), key: secret }));
      else write(`${secret}\nKeep it: it cannot be shown again. Its id is ${apiKey.id}.`);
    });

  keys
    .command('list')
    .description('list the API keys, newest first, including revoked and expired ones')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonOption) => {
      const { apiKeys } = await withHandlers((handlers) => handlers.listApiKeys({}));
      if (json) write(JSON.stringify(apiKeys.map(apiKeyToJson)));
      else write(apiKeys.length === 0 ? 'There are no API keys.' : apiKeysToTable(apiKeys, now()));
    });

  keys
    .command('revoke')
    .description('revoke an API key; the next call with it is refused')
    .argument('<id>', 'public id, the first two parts of the key: ia_0123456789ab')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: JsonOption) => {
      const { apiKey } = await withHandlers((handlers) => handlers.revokeApiKey({ id }));
      if (apiKey === undefined) throw new Error('no key came back');
      write(json ? JSON.stringify(apiKeyToJson(apiKey)) : `Revoked ${apiKey.id}.`);
    });

  return keys;
}

function parseOperations(text: string): Operation[] {
  return text.split(',').map((name) => {
    const operation = operationsByName.get(name.trim());
    if (operation !== undefined) return operation;
    const wish = [...operationsByName.keys()].join(', ');
    throw new InvalidArgumentError(`"${name}" is not an operation, want any of ${wish}.`);
  });
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
