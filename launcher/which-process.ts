/**
 * Which process a container runs, judging by the command line of its first process in `/proc/1/cmdline`. If it
 * runs both, the facade, which vouches for the core too.
 */
export function whichProcess(commandLine: string): 'core' | 'facade' {
  return commandLine.includes('dist/core-server/main.js') ? 'core' : 'facade';
}
