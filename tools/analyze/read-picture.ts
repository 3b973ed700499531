import { readFile, stat } from 'node:fs/promises';
import type { PictureError } from './answer.js';

/** Returns the file, or why it is not sent: a message that is too large would end the whole stream. */
export async function readPicture(file: string, maxBytes: number): Promise<Buffer | PictureError> {
  try {
    const { size } = await stat(file);
    if (size > maxBytes)
      return {
        code: 'RESOURCE_EXHAUSTED',
        reason: 'BODY_TOO_LARGE',
        message: `the file has ${size} bytes, want at most ${maxBytes}`,
      };
    return await readFile(file);
  } catch (error) {
    const message = `the file cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`;
    return { code: 'UNKNOWN', reason: 'UNREADABLE', message };
  }
}
