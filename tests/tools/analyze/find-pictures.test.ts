import assert from 'node:assert/strict';
import files, { mkdir, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { findPictures } from '../../../tools/analyze/find-pictures.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

/** A folder of these empty files. */
async function createFolder(t: TestContext, names: readonly string[]): Promise<string> {
  const folder = await createTemporaryFolder(t);
  for (const name of names) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), '');
  }
  return folder;
}

const ignore = () => undefined;
const options: Parameters<typeof findPictures>[1] = {
  onLeftOut: ignore,
  onMissing: ignore,
  signal: new AbortController().signal,
};

/** What is found under these names in a folder. */
async function find(folder: string, wanted: readonly string[], more: Partial<typeof options> = {}) {
  const found: string[] = [];
  const paths = wanted.map((one) => path.join(folder, one));
  for await (const file of findPictures(paths, { ...options, ...more })) found.push(path.relative(folder, file));
  return found;
}

test('pictures are found in folders and by name', async (t) => {
  const names = ['z.PNG', 'a.jpg', 'b/1.webp', 'b/c/2.tiff', 'b/x.txt', 'b/c/[odd].jpg'];
  const folder = await createFolder(t, names);
  assert.deepEqual(await find(folder, ['']), ['a.jpg', 'b/1.webp', 'b/c/2.tiff', 'b/c/[odd].jpg', 'z.PNG']);
  // Of a name that is given itself no letter means another.
  assert.deepEqual(await find(folder, ['b/x.txt', 'b/c/[odd].jpg']), ['b/x.txt', 'b/c/[odd].jpg']);
  assert.deepEqual(await find(folder, ['b/[0-9].webp', 'b/1.webp']), ['b/1.webp']);
});

test('a picture that is named twice, or with its folder, is found once', async (t) => {
  const folder = await createFolder(t, ['a/1.jpg', 'a/2.jpg', 'a/x.txt']);
  assert.deepEqual(await find(folder, ['a/1.jpg', 'a/../a/1.jpg', 'a']), ['a/1.jpg', 'a/2.jpg']);
  assert.deepEqual(await find(folder, ['a', 'a/2.jpg', 'a/x.txt']), ['a/1.jpg', 'a/2.jpg', 'a/x.txt']);
});

test('links are followed, but not round in a circle', async (t) => {
  const folder = await createFolder(t, ['real/deep/1.jpg']);
  await mkdir(path.join(folder, 'linked'));
  for (const [target, link] of [
    ['real', 'folder'],
    ['../real/deep/1.jpg', 'linked/file.jpg'],
    ['../real/deep', 'linked/folder'],
    ['../nowhere', 'linked/lost.jpg'],
    ['..', 'real/deep/circle'],
  ] as const)
    await symlink(target, path.join(folder, link));
  assert.deepEqual(await find(folder, ['folder']), ['folder/deep/1.jpg']);
  // The one that is lost gets a line that says so.
  assert.deepEqual(await find(folder, ['linked']), ['linked/file.jpg', 'linked/folder/1.jpg', 'linked/lost.jpg']);
  assert.deepEqual(await find(folder, ['linked/file.jpg']), ['linked/file.jpg']);
});

test('a folder that cannot be read is named and left out', async (t) => {
  const folder = await createFolder(t, ['a/1.jpg', 'lost+found/1.jpg', 'z/1.jpg']);
  const { readdir: list } = files;
  t.mock.method(files, 'readdir', (...args: Parameters<typeof list>) =>
    String(args[0]).endsWith('lost+found')
      ? Promise.reject(Object.assign(new Error(), { code: 'EACCES' }))
      : list(...args),
  );
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const missing: string[] = [];
  const onMissing = (name: string, why: string) => void missing.push(`${path.basename(name)}: ${why}`);
  const found = await find(folder, [''], { onMissing });
  assert.deepEqual([found, missing], [['a/1.jpg', 'z/1.jpg'], ['lost+found: it cannot be read: no permission']]);
});

test('what is no file, or has a name that is none, is named', async () => {
  const missing: string[] = [];
  const onMissing = (name: string, why: string) => void missing.push(`${name}: ${why}`);
  for await (const file of findPictures(['/dev/zero', 'bad\ufffd.jpg', 'nowhere.jpg'], { ...options, onMissing }))
    assert.fail(file);
  assert.deepEqual(missing, [
    '/dev/zero: it is no file',
    'bad\ufffd.jpg: its name is not UTF-8, rename it',
    'nowhere.jpg: there is no such file',
  ]);
});

test('a folder that several paths lead to is listed once', async (t) => {
  const folder = await createFolder(t, ['all/shared/1.jpg']);
  for (const link of ['first', 'second']) await symlink('shared', path.join(folder, 'all', link));
  assert.deepEqual(await find(folder, ['all', 'all/shared']), ['all/first/1.jpg']);
});

test('looking for pictures can be stopped', async (t) => {
  const folder = await createFolder(t, ['c.txt', 'd.jpg']);
  const stopped = new Error('stopped');
  const signal = AbortSignal.abort(stopped);
  await assert.rejects(findPictures([folder], { ...options, signal }).next(), stopped);

  const stop = new AbortController();
  const onLeftOut = () => stop.abort(stopped);
  await assert.rejects(findPictures([folder], { ...options, onLeftOut, signal: stop.signal }).next(), stopped);
});
