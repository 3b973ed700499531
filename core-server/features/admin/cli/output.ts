import type { ApiKey, Company, Operation } from '../../../../generated/imageanalysis/v1/admin.js';
import { knownOperations, operationName } from '../../../common/operations.js';

/** Operations by their names on the command line: `face_detection` and so on. */
export const operationsByName: ReadonlyMap<string, Operation> = new Map(
  knownOperations.map((operation) => [operationName(operation), operation]),
);

/** What `JSON.stringify` writes; times become texts by ISO 8601. */
export function apiKeyToJson(apiKey: ApiKey): Record<string, unknown> {
  return {
    id: apiKey.id,
    label: apiKey.label,
    operations: apiKey.operations.map(operationName),
    create_time: apiKey.createTime ?? null,
    expire_time: apiKey.expireTime ?? null,
    revoke_time: apiKey.revokeTime ?? null,
  };
}

export function companyToJson(company: Company): Record<string, unknown> {
  return {
    name: company.name,
    detection_score: company.detectionScore ?? null,
    create_time: company.createTime ?? null,
  };
}

export function apiKeysToTable(apiKeys: readonly ApiKey[]): string {
  if (apiKeys.length === 0) return 'There are no API keys.';
  return toTable([
    ['ID', 'LABEL', 'OPERATIONS', 'CREATED', 'STATE'],
    ...apiKeys.map((apiKey) => [
      apiKey.id,
      apiKey.label,
      apiKey.operations.map(operationName).join(',') || 'all',
      timeToText(apiKey.createTime),
      stateOf(apiKey),
    ]),
  ]);
}

export function companiesToTable(companies: readonly Company[]): string {
  if (companies.length === 0) return 'There are no companies.';
  return toTable([
    ['NAME', 'DETECTION SCORE', 'CREATED'],
    ...companies.map((company) => [
      company.name,
      company.detectionScore === undefined ? 'default' : String(company.detectionScore),
      timeToText(company.createTime),
    ]),
  ]);
}

function stateOf({ revokeTime, expireTime }: ApiKey): string {
  if (revokeTime !== undefined) return `revoked ${timeToText(revokeTime)}`;
  if (expireTime === undefined) return 'active';
  return `${expireTime > new Date() ? 'active until' : 'expired'} ${timeToText(expireTime)}`;
}

function timeToText(time: Date | undefined): string {
  return time === undefined ? '' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function toTable(rows: readonly (readonly string[])[]): string {
  const columns = rows[0] ?? [];
  const lengthOf = (cell = ''): number => Array.from(cell).length;
  // Not `Math.max(...)`, whose arguments are limited to some 100,000 by the stack.
  const widths = columns.map((_, column) => rows.reduce((width, row) => Math.max(width, lengthOf(row[column])), 0));
  const toLine = (cells: readonly string[]): string =>
    cells.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell))).join('  ');
  return rows.map((row) => toLine(row).trimEnd()).join('\n');
}
