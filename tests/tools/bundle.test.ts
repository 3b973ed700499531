import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';

test('the maps of bundles, which Node.js reads for the first stack trace, have few lines of packages', async () => {
  for (const program of ['launcher/main', 'core-server/main', 'core-server/admin-cli', 'rest-facade/main']) {
    const { size } = await stat(new URL(`../../${program}.js.map`, import.meta.url));
    assert.ok(size < 2 ** 20, `${program}: ${size} bytes`);
  }
});
