import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { settings as coreSettings } from '../../core-server/config.js';
import { settings as facadeSettings } from '../../rest-facade/config.js';

const readme = await readFile('README.md', 'utf8');

/** Where the default is not a value of its own. */
const shownDefaults: Readonly<Record<string, string>> = {
  CORE_WORKERS: 'one a core',
  CORE_FACE_MODEL: 'the embedded one',
  CORE_DEFAULT_SCORE: 'the calibrated one',
  CORE_METER_CHECK_BELOW: 'the calibrated one',
  REST_MAX_BODY_BYTES: 'from REST_MAX_IMAGE_BYTES',
};

/** The rows that the README must have: `| variable | default | meaning |`. */
function configurationRows(): string[] {
  const defaults: Record<string, string | number | readonly string[] | undefined> = {
    ...coreSettings.parse({}),
    ...facadeSettings.parse({}),
  };
  const shape = { ...coreSettings.shape, ...facadeSettings.shape };
  return Object.entries(shape).map(([name, { description = 'undescribed' }]) => {
    const value = String(shownDefaults[name] ?? defaults[name] ?? 'unset');
    return `| \`${name}\` | ${value} | ${description} |`;
  });
}

describe('README.md', () => {
  it('should list every setting with its default and meaning, and no other', () => {
    const rows = readme.match(/^\| `(CORE|REST|DATABASE)_.*$/gm);
    assert.deepEqual(rows, configurationRows(), `want\n${configurationRows().join('\n')}\n`);
  });

  it('should show code of the sample that is run by a test', async () => {
    const [, code = ''] = /```ts\n([^]*?)```/.exec(readme) ?? [];
    const sample = await readFile('samples/grpc-client.ts', 'utf8');
    assert.ok(code.length > 0);
    for (const line of code.split('\n').filter((text) => text !== ''))
      assert.ok(sample.split('\n').includes(line), line);
  });

  it('should link to files that exist', () => {
    const links = [...readme.matchAll(/\]\((?!https:)([^)#]+)\)/g)].map(([, link = '']) => link);
    assert.ok(links.length > 5);
    for (const link of links) assert.ok(existsSync(path.resolve(link)), link);
  });

  it('should name only targets of make and scripts of npm that exist', async () => {
    const makefile = await readFile('Makefile', 'utf8');
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    for (const [, target = ''] of readme.matchAll(/(?:^|`)make ([a-z-]+)/gm))
      assert.match(makefile, new RegExp(`^${target}:`, 'm'));
    for (const [, script = ''] of readme.matchAll(/npm run (?:--?\S+ )?([a-z:]+)/g))
      assert.ok(script in scripts, script);
  });
});
