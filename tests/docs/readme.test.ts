import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';

const readme = await readFile('README.md', 'utf8');

describe('README.md', () => {
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
});
