import assert from 'node:assert/strict';
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createKnexCompanyStore } from '../../../core-server/access/companies/knex-company-store.js';
import { backUp } from '../../../core-server/store/back-up.js';
import { sqliteFileName } from '../../../core-server/store/sqlite/sqlite-file.js';
import { ConfigError } from '../../../runtime/errors/config-error.js';
import { openDatabase, placeSqlite } from '../../helpers/databases/databases.js';

describe('a backup', () => {
  it('holds what was committed, and is a store once it has the name of one', async (t) => {
    const place = await placeSqlite(t);
    const db = await openDatabase(t, place);
    await createKnexCompanyStore(db).insert('acme', 'scrypt$', new Date(0));
    const file = path.join(place.dataDir, 'backup.sqlite3');
    await backUp(db, file);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    await createKnexCompanyStore(db).insert('beta', 'scrypt$', new Date(0));

    const restored = await placeSqlite(t);
    await copyFile(file, path.join(restored.dataDir, sqliteFileName));
    const names = await openDatabase(t, restored).then((found) => found('companies').pluck('name'));
    assert.deepEqual(names, ['acme']);
  });

  it('does not overwrite a file', async (t) => {
    const place = await placeSqlite(t);
    const db = await openDatabase(t, place);
    const file = path.join(place.dataDir, 'notes');
    for (const content of ['', 'mine']) {
      await writeFile(file, content);
      await assert.rejects(backUp(db, file), new ConfigError(`${file} exists already: want a new file`));
      assert.equal(await readFile(file, 'utf8'), content);
    }
  });

  it('leaves no file behind if it fails', async (t) => {
    const place = await placeSqlite(t);
    const db = await openDatabase(t, place);
    const file = path.join(place.dataDir, 'backup.sqlite3');
    await assert.rejects(backUp(db, '/nowhere/backup'), /^Error: cannot back up to \/nowhere\/backup: ENOENT/);
    await db.destroy();
    await assert.rejects(backUp(db, file), /^Error: cannot back up to .*\.sqlite3: Unable to acquire a connection/);
    await assert.rejects(stat(file), { code: 'ENOENT' });
  });
});
