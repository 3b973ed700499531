import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createAccess } from '../../../core-server/access/create-access.js';
import { registerDemo } from '../../../core-server/compose/first-start.js';
import { takeStartLock } from '../../../core-server/store/migrations/migrate.js';
import { openDatabase, startDialects } from '../../helpers/databases/databases.js';

const dialects = await startDialects();
after(() => Promise.all(dialects.map((dialect) => dialect.stop())));

for (const dialect of dialects) {
  describe(`first start on ${dialect.name}`, { skip: dialect.skip }, () => {
    it('is had by one of several processes at once, whose credentials are valid', async (t) => {
      const place = await dialect.place(t);
      const replicas = await Promise.all(Array.from({ length: 3 }, () => openDatabase(t, place)));
      const outcomes = await Promise.all(replicas.map(() => registerDemo(place)));
      const [demo, ...others] = outcomes.filter((outcome) => outcome !== undefined);
      assert.ok(demo);
      assert.deepEqual(others, []);
      for (const db of replicas) {
        const { apiKeys, companies } = createAccess(db);
        const { id: keyId, label } = await apiKeys.authenticate(demo.apiKey);
        assert.equal(label, 'demo');
        await companies.authenticate({ ...demo, keyId, clientAddress: '' });
        assert.equal((await apiKeys.list(10)).length, 1);
      }
    });

    it('waits for its turn no longer than a statement may take', async (t) => {
      const place = await dialect.place(t);
      const db = await openDatabase(t, place);
      await db.transaction(async (holding) => {
        await takeStartLock(holding);
        await assert.rejects(registerDemo({ ...place, statementTimeoutMs: 300 }), /statement timeout|SQLITE_BUSY/);
      });
      assert.deepEqual(await createAccess(db).companies.list(10), []);
    });

    it('leaves nothing when it breaks off', async (t) => {
      const place = await dialect.place(t);
      const db = await openDatabase(t, place);
      await db.schema.renameTable('api_keys', 'aside');
      await db.schema.createTable('api_keys', (table) => table.text('id'));
      await assert.rejects(registerDemo(place));
      assert.deepEqual(await createAccess(db).companies.list(10), []);
    });

    it('leaves alone what an administrator has registered', async (t) => {
      const place = await dialect.place(t);
      const db = await openDatabase(t, place);
      const { companies } = createAccess(db);
      await companies.create('demo', 'of-the-administrator');
      assert.equal(await registerDemo(place), undefined);
      const credentials = { company: 'demo', password: 'of-the-administrator' };
      await companies.authenticate({ ...credentials, keyId: '', clientAddress: '' });
    });
  });
}
