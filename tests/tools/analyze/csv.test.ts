import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { assertTable, writeCsv } from '../../../tools/analyze/csv.js';
import type { Line } from '../../../tools/analyze/features.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

test('a table that could not be written is refused', async (t) => {
  const folder = await createTemporaryFolder(t);
  await writeFile(path.join(folder, 'file'), '');
  const inFolder = ['', 'missing/table.csv', 'file/table.csv', 'table.csv/'].map((name) => path.join(folder, name));
  // As an unset variable of a shell is.
  for (const file of [...inFolder, '']) {
    const message = `--csv is "${file}", want a file in a folder that may be written to`;
    await assert.rejects(assertTable(file), { name: 'ConfigError', message });
  }
});

test('a table replaces a table, and no other file', async (t) => {
  const file = path.join(await createTemporaryFolder(t), 'file');
  async function* lines(): AsyncGenerator<Line> {
    yield await Promise.resolve({ file: 'a.jpg', feature: 'redactions', faces: 1 });
  }
  for (const text of ['', 'file,faces,reason,message\r\nb.jpg,2,,\r\n']) {
    await writeFile(file, text);
    await writeCsv(file, 'redactions', lines());
    assert.equal(await readFile(file, 'utf8'), 'file,faces,reason,message\r\na.jpg,1,,\r\n');
  }
  await writeFile(file, 'files of mine');
  const message = `--csv is "${file}", which is no table of this command, want a new file or such a table`;
  await assert.rejects(writeCsv(file, 'redactions', lines()), { name: 'ConfigError', message });
  assert.equal(await readFile(file, 'utf8'), 'files of mine');
});

test('no name of a file is written so that a spreadsheet takes it for a formula', async (t) => {
  const file = path.join(await createTemporaryFolder(t), 'table.csv');
  async function* lines(): AsyncGenerator<Line> {
    for (const name of ['=1+1.jpg', '-1.jpg', '@sum.jpg', '\t=2.jpg', '＝3.jpg', 'a;=4.jpg', '"5".jpg'])
      yield await Promise.resolve({ file: name, feature: 'faces', result: [] });
  }
  await writeCsv(file, 'faces', lines());
  const [, ...rows] = (await readFile(file, 'utf8')).trimEnd().split('\r\n');
  assert.deepEqual(
    rows.map((row) => row.split(',', 1)[0]),
    ['./=1+1.jpg', './-1.jpg', './@sum.jpg', '"./\t=2.jpg"', './＝3.jpg', '"a;=4.jpg"', '"./""5"".jpg"'],
  );
});
