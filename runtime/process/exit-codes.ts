import { ConfigError } from '../settings/read-settings.js';

/** Exit codes of all our programs; 0 means success, or a service that was stopped on request. */
export const exitCodes = {
  /** Or the work was interrupted. */
  failed: 1,
  /** Settings or command line are invalid: restarting does not help. */
  mistaken: 2,
} as const;

export function exitCodeOf(error: unknown): number {
  return error instanceof ConfigError || isOfParseArgs(error) ? exitCodes.mistaken : exitCodes.failed;
}

/** Whether `parseArgs` of node:util threw it. */
function isOfParseArgs(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('ERR_PARSE_ARGS');
}
