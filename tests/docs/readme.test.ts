import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { configurationRows } from './render-configuration.js';

const readme = await readFile('README.md', 'utf8');

describe('README.md', () => {
  it('lists settings as the reference does', () => {
    const rows = readme.match(/^\| `(CORE|REST|DATABASE)_.*$/gm) ?? [];
    assert.ok(rows.length > 5);
    for (const row of rows) assert.ok(configurationRows().includes(row), row);
  });

  it('asks for the glibc that the binaries of packages need', async () => {
    let needed = 0;
    for (const name of ['@img', '@koromix', '@napi-rs', 'onnxruntime-node', 'sqlite3'])
      for (const file of await readdir(`node_modules/${name}`, { recursive: true })) {
        if (!/\.(node|so(\.\d+)*)$/.test(file)) continue;
        const binary = await readFile(`node_modules/${name}/${file}`, 'latin1');
        for (const [, minor] of binary.matchAll(/GLIBC_2\.(\d+)/g)) needed = Math.max(needed, Number(minor));
      }
    assert.equal(/glibc 2\.(\d+)/.exec(readme)?.[1], String(needed));
  });

  it('shows code of the sample that is run by a test', async () => {
    const [, code = ''] = /```ts\n([^]*?)```/.exec(readme) ?? [];
    const sample = await readFile('samples/grpc-client.ts', 'utf8');
    assert.ok(code.length > 0);
    for (const line of code.split('\n').filter((text) => text !== ''))
      assert.ok(sample.split('\n').includes(line), line);
  });
});
