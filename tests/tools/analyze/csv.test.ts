import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { assertTable } from '../../../tools/analyze/csv.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

test('a table that could not be written is refused', async (t) => {
  const folder = await createTemporaryFolder(t);
  await writeFile(path.join(folder, 'file'), '');
  for (const name of ['', 'missing/table.csv', 'file/table.csv']) {
    const file = path.join(folder, name);
    const message = `--csv is "${file}", want a file in a folder that may be written to`;
    await assert.rejects(assertTable(file), { name: 'ConfigError', message });
  }
});
