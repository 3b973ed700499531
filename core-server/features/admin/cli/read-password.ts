import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/**
 * Reads a password from standard input: everything that a pipe gives, without the final newline, or one
 * line that a person types, which is not echoed.
 */
export async function readPassword(input: NodeJS.ReadStream, prompt: NodeJS.WritableStream): Promise<string> {
  if (!input.isTTY) return (await text(input)).replace(/\r?\n$/, '');
  prompt.write('Password: ');
  // readline echoes what is typed to its output.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    prompt.write('\n');
  }
}
