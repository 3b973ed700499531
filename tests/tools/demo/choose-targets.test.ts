import assert from 'node:assert/strict';
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { chooseTargets } from '../../../tools/demo/choose-targets.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

/** A folder with `photos/a.jpg` and `photos/more/a.png`, and a function that chooses for files in it. */
async function setUp(t: TestContext) {
  const folder = await createTemporaryFolder(t);
  const pathOf = (name: string) => path.join(folder, name);
  await mkdir(pathOf('photos/more'), { recursive: true });
  for (const name of ['photos/a.jpg', 'photos/more/a.png']) await writeFile(pathOf(name), '');
  const choose = async (out: string, ...files: string[]) =>
    (await chooseTargets(files.map(pathOf), pathOf(out))).map((target) => path.relative(folder, target));
  const refusal = (out: string, output: string) => ({
    name: 'ConfigError',
    message: `--out is "${pathOf(out)}", where ${output} would be replaced, want another folder`,
  });
  return { pathOf, choose, refusal };
}

const analysis = JSON.stringify({ faces: { result: [] }, meter: { reason: 'NO_READING' } });

describe('chooseTargets', () => {
  it('tells files of the same name apart', async (t) => {
    const { choose } = await setUp(t);
    assert.deepEqual(await choose('out', 'photos/a.jpg', 'photos/more/a.png'), ['out/a', 'out/a-2']);
  });

  it('replaces the outputs of an earlier run', async (t) => {
    const { pathOf, choose } = await setUp(t);
    await mkdir(pathOf('out'));
    await writeFile(pathOf('out/a.json'), analysis);
    assert.deepEqual(await choose('out', 'photos/a.jpg'), ['out/a']);
    await writeFile(pathOf('out/a.jpg'), '');
    assert.deepEqual(await choose('out', 'photos/a.jpg'), ['out/a']);
  });

  it('refuses to replace an input, whatever path leads to it', async (t) => {
    const { pathOf, choose, refusal } = await setUp(t);
    await writeFile(pathOf('photos/a.json'), analysis);
    await symlink('photos', pathOf('linked'));
    await mkdir(pathOf('out'));
    await writeFile(pathOf('out/a.json'), analysis);
    await link(pathOf('photos/a.jpg'), pathOf('out/a.jpg'));
    for (const out of ['photos', 'linked', 'out'])
      await assert.rejects(choose(out, 'photos/a.jpg'), refusal(out, 'a.jpg'));
  });

  it('refuses to replace a file that is not from this command', async (t) => {
    const { pathOf, choose, refusal } = await setUp(t);
    await assert.rejects(choose('photos', 'photos/more/a.png'), refusal('photos', 'a.jpg'));
    await mkdir(pathOf('out'));
    for (const text of ['notes', '{"name":"a"}', 'null']) {
      await writeFile(pathOf('out/a.json'), text);
      await assert.rejects(choose('out', 'photos/a.jpg'), refusal('out', 'a.json'));
    }
  });
});
