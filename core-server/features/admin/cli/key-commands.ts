import { type Command, InvalidArgumentError } from 'commander';
import * as z from 'zod';
import type { Operation } from '../../../../generated/imageanalysis/v1/admin.js';
import { type AdminCliDependencies, type JsonOption, readAll } from './command.js';
import { apiKeysToTable, apiKeyToJson, operationsByName } from './output.js';

export function addKeys(keys: Command, { withHandlers, write }: AdminCliDependencies): void {
  const names = [...operationsByName.keys()];
  keys
    .command('create')
    .description('create an API key and print it; it cannot be shown again')
    .requiredOption('--label <text>', 'whose key it is, such as a program; kept for good')
    .option('--operations <names>', `what it may be used for: ${names.join(',')} (default: all)`, parseOperations)
    .option('--expires <date>', 'when it expires: 2099-01-01 (UTC) or an ISO 8601 time', parseTime)
    .action(async (options: JsonOption & { label: string; operations?: Operation[]; expires?: Date }) => {
      const { label, operations = [], expires: expireTime, json } = options;
      const request = { label, operations, expireTime };
      const { apiKey, secret } = await withHandlers((handlers) => handlers.createApiKey(request), { mayCreate: true });
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

function parseOperations(text: string): Operation[] {
  return text.split(',').map((name) => {
    const operation = operationsByName.get(name.trim());
    if (operation !== undefined) return operation;
    const wish = [...operationsByName.keys()].join(', ');
    throw new InvalidArgumentError(`"${name}" is not an operation, want any of ${wish}.`);
  });
}

/** Of ISO 8601, a date, or a time with its offset, to the minute or finer. */
const time = z.union([z.iso.date(), z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })]);

function parseTime(text: string): Date {
  if (time.safeParse(text).success) return new Date(text);
  throw new InvalidArgumentError(
    `"${text}" is not a time, want 2099-01-01 (midnight UTC) or 2099-01-01T12:00:00+02:00.`,
  );
}
