import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import { createKnexCompanyStore } from '../../../core-server/access/companies/knex-company-store.js';
import { createKnexApiKeyStore } from '../../../core-server/access/keys/knex-api-key-store.js';
import { Operation } from '../../../generated/imageanalysis/v1/admin.js';
import { openDatabase, startDialects } from '../../helpers/databases/databases.js';
import { keyOf, registerAcme } from './fixtures.js';

const dialects = await startDialects();
after(() => Promise.all(dialects.map((dialect) => dialect.stop())));

for (const dialect of dialects) {
  const open = async (t: TestContext) => openDatabase(t, await dialect.place(t));

  describe(`store on ${dialect.name}`, { skip: dialect.skip }, () => {
    describe('API keys', () => {
      it('gives back what was stored', async (t) => {
        const store = createKnexApiKeyStore(await open(t));
        const limited = keyOf('a', {
          label: 'Größe 木 ’; DROP TABLE api_keys',
          operations: [Operation.METER_READING, Operation.FACE_DETECTION],
          createTime: new Date('2026-01-02T03:04:05.678Z'),
          expireTime: new Date('9999-12-31T23:59:59.999Z'),
        });
        const plain = keyOf('b');
        await store.insert(limited);
        await store.insert(plain);
        assert.deepEqual(await store.find(limited.apiKey.id), limited);
        assert.deepEqual(await store.find(plain.apiKey.id), plain);
        assert.equal(await store.find('ia_cccccccccccc'), undefined);
      });

      it('lists the newest first, page by page, also those of the same time', async (t) => {
        const store = createKnexApiKeyStore(await open(t));
        for (const [letter, time] of Object.entries({ c: 2, e: 1, a: 3, d: 2, b: 2 }))
          await store.insert(keyOf(letter, { createTime: new Date(time) }));
        const all = await store.list(10);
        assert.equal(all.map(({ id }) => id.charAt(3)).join(''), 'adcbe');
        for (const [at, last] of all.entries()) assert.deepEqual(await store.list(2, last), all.slice(at + 1, at + 3));
      });

      it('keeps the time of the first revocation', async (t) => {
        const store = createKnexApiKeyStore(await open(t));
        const { apiKey } = keyOf('a');
        await store.insert(keyOf('a'));
        await store.insert(keyOf('b'));
        const first = new Date('2026-05-01T00:00:00.001Z');
        const revoked = { ...apiKey, revokeTime: first };
        assert.deepEqual(await store.revoke(apiKey.id, first), revoked);
        assert.deepEqual(await store.revoke(apiKey.id, new Date('2026-06-01')), revoked);
        assert.deepEqual((await store.find(apiKey.id))?.apiKey, revoked);
        assert.equal((await store.find(keyOf('b').apiKey.id))?.apiKey.revokeTime, undefined);
        assert.equal(await store.revoke('ia_cccccccccccc', first), undefined);
      });

      it('lists a key whose operations it does not know, which allows nothing by them', async (t) => {
        const db = await open(t);
        const store = createKnexApiKeyStore(db);
        const { apiKey } = keyOf('a', { operations: [Operation.METER_READING] });
        await store.insert({ apiKey, secretHash: Buffer.alloc(32) });
        await db('api_keys').update({ operations: 'OPERATION_OF_TOMORROW' });
        const read = { ...apiKey, operations: [Operation.UNSPECIFIED] };
        assert.deepEqual((await store.find(apiKey.id))?.apiKey, read);
        assert.deepEqual(await store.list(1), [read]);
        const revokeTime = new Date('2026-05-01');
        assert.deepEqual(await store.revoke(apiKey.id, revokeTime), { ...read, revokeTime });
      });
    });

    describe('companies', () => {
      const created = new Date('2026-01-02T03:04:05.678Z');

      it('registers a name once', async (t) => {
        const store = createKnexCompanyStore(await open(t));
        assert.equal(await store.insert('acme', 'scrypt$first', created), true);
        assert.equal(await store.insert('acme', 'scrypt$second', created), false);
        assert.equal(await store.insert('Acme', 'scrypt$third', created), true);
        assert.equal(await store.findPasswordHash('acme'), 'scrypt$first');
        assert.equal(await store.findPasswordHash('Acme'), 'scrypt$third');
        assert.equal(await store.findPasswordHash('other'), undefined);
      });

      it('changes the password of a known company only', async (t) => {
        const store = createKnexCompanyStore(await open(t));
        await store.insert('acme', 'scrypt$first', created);
        assert.equal(await store.setPasswordHash('acme', 'scrypt$second'), true);
        assert.equal(await store.setPasswordHash('other', 'scrypt$second'), false);
        assert.equal(await store.findPasswordHash('acme'), 'scrypt$second');
      });

      it('lists by the codes of the characters', async (t) => {
        const db = await open(t);
        const store = createKnexCompanyStore(db);
        for (const name of ['b', 'a', '_', 'B', '-x', '10', '9', 'a.b']) {
          await store.insert(name, 'scrypt$', created);
        }
        await store.setScore('b', 0.5);
        const list = await store.list(10);
        assert.deepEqual(
          list.map(({ name }) => name),
          ['-x', '10', '9', 'B', '_', 'a', 'a.b', 'b'],
        );
        assert.deepEqual(await store.list(3, '9'), list.slice(3, 6));
        assert.deepEqual(list.at(-1), { name: 'b', detectionScore: 0.5, createTime: created });
        assert.deepEqual(list.at(0), { name: '-x', detectionScore: undefined, createTime: created });
      });

      it('deletes the score with the company', async (t) => {
        const db = await open(t);
        const store = createKnexCompanyStore(db);
        await store.insert('acme', 'scrypt$', created);
        await store.setScore('acme', 0.5);
        assert.equal(await store.delete('acme'), true);
        assert.equal(await store.delete('acme'), false);
        assert.equal(await store.findScore('acme'), undefined);
        await store.insert('acme', 'scrypt$', created);
        assert.deepEqual(await store.findScore('acme'), { score: undefined });
      });
    });

    describe('scores', () => {
      it('gives back every score to the last bit', async (t) => {
        const db = await open(t);
        const companies = await registerAcme(db);
        const millionths = Array.from({ length: 40 }, (_, index) => (index * 25_641 + 1) / 1e6);
        for (const score of [0, 1, 0.92, 0.1, 0.7, 0.000001, 0.999999, ...millionths]) {
          assert.ok(await companies.setScore('acme', score));
          assert.deepEqual(await companies.findScore('acme'), { score });
        }
      });

      it('sets none of a company that got another password, or was registered anew, while the old one was checked', async (t) => {
        const db = await open(t);
        const companies = createKnexCompanyStore(db);
        await companies.insert('acme', 'scrypt$new', new Date());
        assert.equal(await companies.setScore('acme', 0.5, 'scrypt$old'), undefined);
        assert.deepEqual(await companies.findScore('acme'), { score: undefined });
        assert.ok(await companies.setScore('acme', 0.5, 'scrypt$new'));
      });
    });

    it('is not asked for names that no company can have', async (t) => {
      const db = await open(t);
      const companies = createKnexCompanyStore(db);
      const asked: unknown[] = [];
      db.on('query', ({ sql }) => asked.push(sql));
      for (const name of ['', '\0', "' OR 1=1 --", '木', 'a'.repeat(65), 'a'.repeat(100_000)]) {
        assert.equal(await companies.findScore(name), undefined);
        assert.equal(await companies.setScore(name, 0.5), undefined);
        assert.equal(await companies.findPasswordHash(name), undefined);
        assert.equal(await companies.setPasswordHash(name, 'scrypt$'), false);
        assert.equal(await companies.delete(name), false);
      }
      assert.deepEqual(asked, []);
    });

    it('holds the rules in the tables too', async (t) => {
      const db = await open(t);
      const company = { name: 'acme', password_hash: 'scrypt$', create_time_ms: 0 };
      await db('companies').insert({ ...company, detection_score: 1 });
      for (const wrong of [
        { detection_score: 1.000001 },
        { detection_score: -0.000001 },
        { name: '' },
        { name: 'a'.repeat(65) },
        { name: 'a b' },
        { name: 'a\n' },
        { password_hash: 'plain' },
        { create_time_ms: null },
        { name: 'acme' }, // is taken
      ]) {
        await assert.rejects(db('companies').insert({ ...company, name: 'free', ...wrong }));
      }
      await db('companies').insert({ ...company, name: 'a'.repeat(64) });
    });

    it('answers every one of many concurrent writers and readers', async (t) => {
      const place = await dialect.place(t);
      const replicas = [await openDatabase(t, place), await openDatabase(t, place)];
      const stores = replicas.map((db) => createKnexCompanyStore(db));
      const registrations = await Promise.all(
        replicas.flatMap((db) =>
          Array.from({ length: 5 }, () => createKnexCompanyStore(db).insert('acme', 'scrypt$', new Date())),
        ),
      );
      assert.equal(registrations.filter(Boolean).length, 1);

      const writes = stores.flatMap((store, replica) =>
        Array.from({ length: 50 }, (_, index) => store.setScore('acme', (replica * 50 + index) / 100)),
      );
      const reads = stores.flatMap((store) => Array.from({ length: 50 }, () => store.findScore('acme')));
      assert.ok((await Promise.all(writes)).every(Boolean));
      for (const stored of await Promise.all(reads)) assert.ok(stored);
    });
  });
}
