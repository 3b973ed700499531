/**
 * What a container serves by, told from the command line of its first process as `/proc/1/cmdline` has it. Of
 * both it is the facade, which answers for the core too.
 */
export function whichProcess(commandLine: string): 'core' | 'facade' {
  return commandLine.includes('dist/core-server/main.js') ? 'core' : 'facade';
}
