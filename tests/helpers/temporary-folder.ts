import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** An empty folder that is deleted with what is in it when the test, the suite or the file is over. */
export async function createTemporaryFolder(lifetime: { after(end: () => unknown): void }): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'image-analysis-test-'));
  lifetime.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
