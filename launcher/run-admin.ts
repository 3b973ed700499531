import { execFile } from 'node:child_process';

/** Runs the admin command with these arguments and returns the JSON that it prints; undefined if it prints nothing. */
export type RunAdmin = (args: readonly string[]) => Promise<unknown>;

const timeoutMs = 60_000;

/** Runs the admin command on the store given by the environment. */
export function createRunAdmin(file: string, env: NodeJS.ProcessEnv): RunAdmin {
  return (args) =>
    new Promise((resolve, reject) => {
      const nodeArgs = [file, ...args, '--json'];
      execFile(process.execPath, nodeArgs, { env, timeout: timeoutMs }, (error, stdout, stderr) => {
        if (!error) {
          resolve(stdout === '' ? undefined : JSON.parse(stdout));
          return;
        }
        // Without the error as cause: it contains the output, which may include a password.
        const why = stderr.trim() || `exit code ${error.code}`;
        reject(new Error(`the admin command "${args.join(' ')}" failed: ${why}`));
      });
    });
}
