import { exitCodeOf, exitCodes } from '../../runtime/process/exit-codes.js';

/**
 * Runs the command until it ends, is told to stop or cannot print any more, and sets the exit code.
 *
 * @param run resolves with whether all went well
 */
export async function runCommand(run: (signal: AbortSignal) => Promise<boolean>): Promise<void> {
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => abort.abort(new Error('stopped; run it again to resume')));
  // Nobody reads on, or the disk is full: what was begun is ended properly.
  for (const output of [process.stdout, process.stderr]) output.on('error', (error) => abort.abort(error));
  try {
    if (!(await run(abort.signal))) process.exitCode = exitCodes.failed;
  } catch (error) {
    warn(error instanceof Error ? error.message : String(error));
    process.exitCode = exitCodeOf(error);
  }
}

/** Tells the user; on a terminal in place of a progress bar. */
export function warn(message: string): void {
  const text = message.split('\n').map(printable).join('\n');
  process.stderr.write(`${process.stderr.isTTY ? '\r\u001b[K' : ''}analyze: ${text}\n`);
}

/** File names and a server's messages without control characters, which a terminal would obey. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?');
}

/** Why a file cannot be used, in words; the code of the system where it is none of the usual reasons. */
export function whyUnreadable(error: unknown): string {
  const { code = 'failed', path = '' } = error as NodeJS.ErrnoException;
  // What Node.js shows in place of the bytes, by which the file cannot be opened.
  if (code === 'ENOENT' && path.includes('\ufffd')) return 'its name is not UTF-8, rename it';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  return `it cannot be read: ${code === 'EACCES' ? 'no permission' : code}`;
}
