import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openResultsFile } from '../../../tools/analyze/results-file.js';
import { readSample } from '../../helpers/pictures/samples.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

async function fileWith(t: TestContext, content: string | Uint8Array): Promise<string> {
  const folder = await createTemporaryFolder(t);
  const name = path.join(folder, 'results.jsonl');
  await writeFile(name, content);
  return name;
}

const lineOf = (file: string, members: object = { result: [] }) =>
  `${JSON.stringify({ file, feature: 'faces', ...members })}\n`;

describe('the results file', () => {
  it('is refused unchanged if it contains anything but results', async (t) => {
    for (const [line, content] of [
      [1, await readSample('astronaut.jpg')],
      [1, 'one line of notes without an end'],
      [1, 'notes\nof two lines'],
      [1, '{'.repeat(3)],
      [1, '{"name":"package"}\n'],
      [1, '{"file":"a.jpg","feature":"toString"}\n'],
      [1, '{"file":"a.zip","size":1}'],
      [2, `${lineOf('a.jpg')}null\n`],
      [2, `${lineOf('a.jpg')}notes`],
    ] as const) {
      const name = await fileWith(t, content);
      await assert.rejects(openResultsFile(name, 'faces'), {
        name: 'ConfigError',
        message: `--output is "${name}", which has no result in line ${line}, want a new file or an output of this command`,
      });
      assert.deepEqual(await readFile(name), Buffer.from(content));
    }
  });

  it('is refused if it is no file', async () => {
    for (const name of ['/dev/null', '/dev/full'])
      await assert.rejects(openResultsFile(name, 'faces'), {
        name: 'ConfigError',
        message: `--output is "${name}", want a file, which is read to resume`,
      });
    for (const name of ['', '/', '/dev/null/faces.jsonl'])
      await assert.rejects(openResultsFile(name, 'faces'), {
        name: 'ConfigError',
        message: /^--output is ".*", want a file, which is read to resume; (ENOENT|EISDIR|ENOTDIR): /,
      });
  });

  it('loses nothing but the incomplete last line of an interrupted run', async (t) => {
    // A crowd with its landmarks: longer than what is read at a time.
    const longLine = lineOf('b.jpg', { result: ['x'.repeat(200_000)] }).slice(0, -3);
    for (const torn of ['', '{', '{"file":', '{"file":"b.jpg","fea', longLine]) {
      const name = await fileWith(t, lineOf('a.jpg') + torn);
      const results = await openResultsFile(name, 'faces');
      assert.deepEqual([results.isDone('a.jpg'), results.isDone('b.jpg')], [true, false]);
      await results.close();
      assert.equal(await readFile(name, 'utf8'), lineOf('a.jpg'));
    }
  });

  it('counts the last line of a picture, of its own feature', async (t) => {
    const failed = (reason: string) => lineOf('a.jpg', { error: { reason } });
    const table: [string, string, boolean][] = [
      ['none', '', false],
      ['succeeded', lineOf('a.jpg'), true],
      ['failed for good', failed('CORRUPT_IMAGE'), true],
      ['without a meter', failed('NO_READING'), true],
      ['failed for now', failed('INTERNAL'), false],
      ['succeeded, then failed for now', lineOf('a.jpg') + failed('INTERNAL'), false],
      ['failed for now, then succeeded', failed('INTERNAL') + lineOf('a.jpg'), true],
      ['of the other feature', lineOf('a.jpg', { feature: 'meters' }), false],
    ];
    for (const [name, lines, isDone] of table) {
      const results = await openResultsFile(await fileWith(t, lines), 'faces');
      assert.equal(results.isDone('a.jpg'), isDone, name);
      await results.close();
    }
  });

  it('takes up names with any character', async (t) => {
    const name = await fileWith(t, '');
    const files = ['line\u2028separator.jpg', 'next\u0085line.jpg', 'new\nline.jpg', 'Füße 😀.jpg'];
    const results = await openResultsFile(name, 'faces');
    for (const file of files) await results.append({ file, feature: 'faces', result: [] });
    await results.close();

    const again = await openResultsFile(name, 'faces');
    assert.ok(files.every((file) => again.isDone(file)));
    await again.close();
  });

  it('has all lines in the order of their pictures, however many are written at once', async (t) => {
    const name = await fileWith(t, '');
    const files = Array.from({ length: 100 }, (_, index) => `${index}.jpg`);
    const results = await openResultsFile(name, 'faces');
    const written = Promise.all(files.map((file) => results.append({ file, feature: 'faces', result: [] })));
    await results.close();
    assert.equal(await readFile(name, 'utf8'), files.map((file) => lineOf(file)).join(''));
    await written;
  });

  it('has the lines of one of several runs', async (t) => {
    const name = await fileWith(t, lineOf('a.jpg'));
    const [one, other] = [await openResultsFile(name, 'faces'), await openResultsFile(name, 'faces')];
    for (const file of ['b.jpg', 'c.jpg']) await one.append({ file, feature: 'faces', result: [] });
    await assert.rejects(other.append({ file: 'b.jpg', feature: 'faces', result: [] }), {
      name: 'ConfigError',
      message: `--output is "${name}", which another run writes too, want a file of its own`,
    });
    await Promise.all([one.close(), other.close()]);
    assert.equal(await readFile(name, 'utf8'), ['a.jpg', 'b.jpg', 'c.jpg'].map((file) => lineOf(file)).join(''));
  });
});
