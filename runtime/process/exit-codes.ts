import { ConfigError } from '../errors/config-error.js';

/** Exit codes of all our programs; 0 means success, or a service that was stopped on request. */
export const exitCodes = {
  /** Or the work was interrupted. */
  failed: 1,
  /** Settings or command line are invalid: restarting does not help. */
  mistaken: 2,
} as const;

export function exitCodeOf(error: unknown): number {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // That of `parseArgs` of node:util.
  const isMistaken = error instanceof ConfigError || code.startsWith('ERR_PARSE_ARGS');
  return isMistaken ? exitCodes.mistaken : exitCodes.failed;
}
