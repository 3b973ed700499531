import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { configurationRows } from './render-configuration.js';

const readme = await readFile('README.md', 'utf8');

describe('README.md', () => {
  it('lists settings as the reference does', () => {
    const rows = readme.match(/^\| `(CORE|REST|DATABASE)_.*$/gm) ?? [];
    assert.ok(rows.length > 5);
    for (const row of rows) assert.ok(configurationRows().includes(row), row);
  });

  it('shows code of the sample that is run by a test', async () => {
    const [, code = ''] = /```ts\n([^]*?)```/.exec(readme) ?? [];
    const sample = await readFile('samples/grpc-client.ts', 'utf8');
    assert.ok(code.length > 0);
    for (const line of code.split('\n').filter((text) => text !== ''))
      assert.ok(sample.split('\n').includes(line), line);
  });
});
