import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createKnexCompanyStore } from '../../../core-server/access/companies/knex-company-store.js';
import { createKnexApiKeyStore } from '../../../core-server/access/keys/knex-api-key-store.js';
import type { Database } from '../../../core-server/store/database.js';
import { cacheRows, detectChanges } from '../../../core-server/store/row-cache.js';
import { SqliteFile, sqliteFileName } from '../../../core-server/store/sqlite/sqlite-file.js';
import { openDatabase, placeSqlite } from '../../helpers/databases/databases.js';
import { deferred } from '../../helpers/deferred.js';
import { keyOf, registerAcme } from './fixtures.js';

const key = keyOf('a', { label: 'a' });
const { id } = key.apiKey;

/** Counts the statements that reach the store from now on. */
function countQueries(db: Database): { readonly count: number } {
  const queries = { count: 0 };
  db.on('query', () => (queries.count += 1));
  return queries;
}

/** A store as the core has it, and the same as another process has it. */
async function openTwice(t: TestContext) {
  const place = await placeSqlite(t);
  const db = await openDatabase(t, place);
  const other = await openDatabase(t, place);
  await detectChanges(db);
  await createKnexApiKeyStore(other).insert(key);
  return { db, other, place };
}

test('a row is read once, and again once another process has changed any', async (t) => {
  const { db, other } = await openTwice(t);
  const keys = createKnexApiKeyStore(db);
  const scores = createKnexCompanyStore(db);
  await registerAcme(other);
  const queries = countQueries(db);
  for (let time = 0; time < 3; time += 1) {
    assert.deepEqual(await keys.find(id), key);
    assert.deepEqual(await scores.findScore('acme'), { score: undefined });
  }
  assert.equal(queries.count, 2);

  for (let time = 1; time <= 20; time += 1) {
    const score = time / 20;
    await createKnexCompanyStore(time % 2 === 0 ? db : other).setScore('acme', score);
    assert.deepEqual(await scores.findScore('acme'), { score });
    await other.raw('PRAGMA wal_checkpoint(TRUNCATE)');
    assert.deepEqual(await scores.findScore('acme'), { score });
  }
  const revokeTime = new Date('2026-02-01');
  await createKnexApiKeyStore(other).revoke(id, revokeTime);
  assert.deepEqual((await keys.find(id))?.apiKey.revokeTime, revokeTime);
  await other('companies').delete();
  assert.equal(await scores.findScore('acme'), undefined);
});

test('a change that was rolled back is none', async (t) => {
  const { db, other } = await openTwice(t);
  const keys = createKnexApiKeyStore(db);
  await keys.find(id);
  const undone = other.transaction(async (transaction) => {
    await transaction('api_keys').update({ label: 'b' });
    assert.equal((await keys.find(id))?.apiKey.label, 'a');
    throw new Error('undone');
  });
  await assert.rejects(undone, /undone/);
  assert.equal((await keys.find(id))?.apiKey.label, 'a');
});

test('a transaction reads the store, also what it changed itself', async (t) => {
  const { db } = await openTwice(t);
  await createKnexApiKeyStore(db).find(id);
  await db.transaction(async (transaction) => {
    const keys = createKnexApiKeyStore(transaction);
    assert.equal((await keys.find(id))?.apiKey.label, 'a');
    await transaction('api_keys').update({ label: 'b' });
    assert.equal((await keys.find(id))?.apiKey.label, 'b');
  });
});

test('a row that was being read during a change is not kept', async (t) => {
  const { db, other } = await openTwice(t);
  const reads: ReturnType<typeof deferred<string>>[] = [];
  const find = cacheRows(db, () => {
    const read = deferred<string>();
    reads.push(read);
    return read.promise;
  });
  const during = find('a');
  await createKnexApiKeyStore(other).revoke(id, new Date('2026-02-01'));
  void find('b'); // notices the change
  reads[0]?.resolve('outdated');
  await during;
  void find('a');
  assert.equal(reads.length, 3);
});

test('what the store does not have is asked for each time, and not kept', async (t) => {
  const { db } = await openTwice(t);
  const keys = createKnexApiKeyStore(db);
  const queries = countQueries(db);
  const { mock: set } = t.mock.method(Map.prototype, 'set');
  for (let time = 0; time < 3; time += 1) assert.equal(await keys.find('ia_bbbbbbbbbbbb'), undefined);
  assert.equal(queries.count, 3);
  assert.ok(!set.calls.some(({ arguments: [kept] }) => kept === 'ia_bbbbbbbbbbbb'));
});

for (const suffix of ['', '-wal', '-shm'])
  test(`if the file${suffix && ` ${suffix}`} is gone or replaced, nothing is answered from memory or written`, async (t) => {
    const { db, place } = await openTwice(t);
    const keys = createKnexApiKeyStore(db);
    assert.deepEqual(await keys.find(id), key);
    const file = path.join(place.dataDir, `${sqliteFileName}${suffix}`);
    const assertRefused = async () => {
      await assert.rejects(keys.find(id), { reason: 'STORE_UNAVAILABLE' });
      await assert.rejects(keys.revoke(id, new Date()), { reason: 'STORE_UNAVAILABLE' });
    };
    await rename(file, `${file}.away`);
    await assertRefused();
    await copyFile(`${file}.away`, file);
    await assertRefused();
    await rename(`${file}.away`, file);
    assert.deepEqual(await keys.find(id), key);
  });

test('other processes do not write during a transaction, however often commits are looked for', async (t) => {
  const { db, place } = await openTwice(t);
  const keys = createKnexApiKeyStore(db);
  await keys.find(id);
  const transaction = await db.transaction();
  await transaction('api_keys').update({ label: 'b' });
  assert.deepEqual(await keys.find(id), key);
  const impatient = JSON.stringify({ ...place, statementTimeoutMs: 100 });
  const script = fileURLToPath(new URL('./store-writer.js', import.meta.url));
  const child = spawn(process.execPath, [script, impatient, 'register', 'acme']);
  const [errors] = await Promise.all([text(child.stderr), once(child, 'close')]);
  await transaction.rollback();
  assert.match(errors, /SQLITE_BUSY/);
});

test('where changes cannot be told, each row is read', async (t) => {
  const { other } = await openTwice(t);
  const keys = createKnexApiKeyStore(other);
  const queries = countQueries(other);
  for (let time = 0; time < 2; time += 1) assert.deepEqual(await keys.find(id), key);
  assert.equal(queries.count, 2);
});

test('a store that cannot be written is read each time', async (t) => {
  const place = await placeSqlite(t);
  const db = await openDatabase(t, place);
  const keys = createKnexApiKeyStore(db);
  await keys.insert(key);
  await db.raw('PRAGMA query_only = 1');
  await detectChanges(db);
  const queries = countQueries(db);
  for (let time = 0; time < 2; time += 1) assert.deepEqual(await keys.find(id), key);
  assert.equal(queries.count, 2);
});

test('where a commit is not noticed, changes cannot be told', async (t) => {
  const { place } = await openTwice(t);
  const file = new SqliteFile(path.join(place.dataDir, sqliteFileName));
  await file.proveChangeToken(() => Promise.resolve());
  assert.equal(file.changeToken(), undefined);
});

test('a later connection does not take what lies in the place of the file for it, nor the changes of one before', async (t) => {
  const { db, place } = await openTwice(t);
  const name = path.join(place.dataDir, sqliteFileName);
  const file = new SqliteFile(name);
  file.noteOpened();
  await file.proveChangeToken(() => createKnexApiKeyStore(db).revoke(id, new Date()));
  assert.notEqual(file.changeToken(), undefined);
  file.noteOpened();
  assert.equal(file.changeToken(), undefined);
  await rename(name, `${name}.away`);
  for (const replace of [() => undefined, () => copyFile(`${name}.away`, name)]) {
    await replace();
    file.noteOpened();
    assert.throws(() => file.assertInPlace(), { code: 'SQLITE_READONLY' });
  }
});
