import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { test } from 'node:test';

for (const program of ['launcher/main', 'core-server/main', 'core-server/admin-cli', 'rest-facade/main']) {
  const file = new URL(`../../${program}.js`, import.meta.url);

  test(`${program} is one file, which imports nothing that could be in it, and in which errors keep their names`, async () => {
    const text = await readFile(file, 'utf8');
    const imported = [...text.matchAll(/^import (?:.* from )?"([^"]+)";$/gm)].map(([, name = '']) => name);
    assert.deepEqual(
      [...new Set(imported.filter((name) => !isBuiltin(name)))],
      program.startsWith('core') ? ['sqlite3'] : [],
    );
    assert.doesNotMatch(text, /class _Refusal/);
  });

  test(`the map of ${program}, which Node.js reads for the first stack trace, has few lines of packages`, async () => {
    const { size } = await stat(new URL(`${file.href}.map`));
    assert.ok(size < 2 ** 20, `${size} bytes`);
  });
}
