import { ConfigError } from './settings.js';

/** Exit codes of every program of ours; 0: it did what it was told, or was told to stop. */
export const exitCodes = {
  failed: 1,
  /** Settings or command line are mistaken: to start it again does not help. */
  mistaken: 2,
} as const;

/** The exit code for what ended a program. */
export function exitCodeOf(error: unknown): number {
  return error instanceof ConfigError || isOfParseArgs(error)
    ? exitCodes.mistaken
    : exitCodes.failed;
}

/** Whether `parseArgs` of node:util threw it. */
function isOfParseArgs(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('ERR_PARSE_ARGS');
}
