import { execFile } from 'node:child_process';
import type { RunAdmin } from './first-start.js';

const timeoutMs = 60_000;

/** Runs the admin command on the store given by the environment. */
export function createRunAdmin(file: string, env: NodeJS.ProcessEnv): RunAdmin {
  return (args) =>
    new Promise((resolve, reject) => {
      const nodeArgs = [file, ...args, '--json'];
      execFile(process.execPath, nodeArgs, { env, timeout: timeoutMs }, (error, stdout, stderr) => {
        if (!error) {
          resolve(JSON.parse(stdout));
          return;
        }
        // Without the error as cause: it contains the output, which may include a password.
        const why = stderr.trim() || `exit code ${error.code}`;
        reject(new Error(`the admin command "${args.join(' ')}" failed: ${why}`));
      });
    });
}
