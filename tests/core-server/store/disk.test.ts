import assert from 'node:assert/strict';
import { chmod, copyFile, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Knex } from 'knex';
import { createKnexCompanyStore } from '../../../core-server/access/companies/knex-company-store.js';
import { createDatabase, waitForDatabase } from '../../../core-server/store/database.js';
import { sqliteFileName } from '../../../core-server/store/sqlite/sqlite-file.js';
import { withStorageErrors } from '../../../core-server/store/storage-error.js';
import { Refusal } from '../../../runtime/errors/refusal.js';
import { collectLog } from '../../helpers/collect-log.js';
import { openDatabase, placeSqlite } from '../../helpers/databases/databases.js';
import { mountSmallDisk } from '../../helpers/databases/small-disk.js';
import { registerAcme } from './fixtures.js';

// A SQLite file whose disk is full, fails or may only be read, or that is gone.

const refused = {
  reason: 'STORE_UNAVAILABLE',
  message: 'the configuration store is not available, try again',
  retryAfterSeconds: 1,
};

/** Registers companies until the store refuses one. @returns the names that it answered */
async function fill(db: Knex): Promise<string[]> {
  const companies = createKnexCompanyStore(db);
  const answered: string[] = [];
  try {
    for (let index = 0; index < 5_000; index += 1) {
      const name = `company-${String(index).padStart(4, '0')}`;
      await companies.insert(name, `scrypt$${'x'.repeat(400)}`, new Date());
      answered.push(name);
    }
  } catch (error) {
    assert.ok(error instanceof Refusal);
    const { reason, message, retryAfterSeconds } = error;
    assert.deepEqual({ reason, message, retryAfterSeconds }, refused, String(error.cause));
    return answered;
  }
  throw new Error('the store was never full');
}

async function namesOf(db: Knex): Promise<string[]> {
  return (await createKnexCompanyStore(db).list(1_000)).map(({ name }) => name);
}

describe('a SQLite store', () => {
  it('has nothing left of what was deleted or replaced, once it is closed', async (t) => {
    const place = await placeSqlite(t);
    const db = await createDatabase(place);
    const companies = createKnexCompanyStore(db);
    for (const name of ['deleted', 'kept']) await companies.insert(name, `scrypt$first of ${name}`, new Date());
    await companies.setPasswordHash('kept', 'scrypt$second');
    await companies.delete('deleted');
    await db.destroy();
    const file = await readFile(path.join(place.dataDir, sqliteFileName), 'latin1');
    assert.match(file, /second/);
    assert.doesNotMatch(file, /first of|deleted/);
  });

  it('refuses what has no room, keeps what it answered, and goes on when there is room', async (t) => {
    const place = await placeSqlite(t);
    const db = await openDatabase(t, place);
    const [{ page_count: pages }] = (await db.raw('PRAGMA page_count')) as [{ page_count: number }];
    await db.raw(`PRAGMA max_page_count = ${pages + 4}`);
    const answered = await fill(db);
    assert.ok(answered.length > 0);
    assert.deepEqual(await namesOf(db), answered);
    // A change that needs no more room is still made.
    assert.ok(await createKnexCompanyStore(db).setScore(answered[0] ?? '', 0.25));

    await db.raw('PRAGMA max_page_count = 100000');
    await createKnexCompanyStore(db).insert('later', 'scrypt$', new Date());
    const other = await openDatabase(t, place);
    assert.deepEqual(await namesOf(other), [...answered, 'later']);
  });

  it('refuses writes and answers reads while it may only be read', async (t) => {
    const db = await openDatabase(t, await placeSqlite(t));
    const companies = await registerAcme(db);
    await companies.setScore('acme', 0.5);
    await db.raw('PRAGMA query_only = ON');
    await assert.rejects(companies.setScore('acme', 0.6), refused);
    assert.deepEqual(await companies.findScore('acme'), { score: 0.5 });
    await db.raw('PRAGMA query_only = OFF');
    assert.ok(await companies.setScore('acme', 0.6));
  });

  it('is readable by its owner only, whatever its folder and the umask say', async (t) => {
    const place = await placeSqlite(t);
    await chmod(place.dataDir, 0o755);
    const umask = process.umask(0);
    t.after(() => process.umask(umask));
    const made = path.join(place.dataDir, 'made');
    for (const dataDir of [place.dataDir, made]) {
      await registerAcme(await openDatabase(t, { dataDir }));
      for (const end of ['', '-wal', '-shm']) {
        const { mode } = await stat(path.join(dataDir, `${sqliteFileName}${end}`));
        assert.equal((mode & 0o777).toString(8), '600', end);
      }
    }
    assert.equal(((await stat(made)).mode & 0o777).toString(8), '700');
  });

  it('refuses all while its file is gone or another, and goes on when it is back', async (t) => {
    const place = await placeSqlite(t);
    const db = await openDatabase(t, place);
    const companies = await registerAcme(db);
    const file = path.join(place.dataDir, sqliteFileName);
    const aside = path.join(place.dataDir, 'aside');
    const refuses = async (): Promise<void> => {
      await assert.rejects(companies.setScore('acme', 0.5), refused);
      await assert.rejects(companies.findScore('acme'), refused);
      await assert.rejects(withStorageErrors(db, db('companies').delete()), refused);
    };

    // As a statement that is under way while the file goes.
    const moves: PromiseLike<void> = {
      then: (...done: Parameters<PromiseLike<void>['then']>) => rename(file, aside).then(...done),
    } as PromiseLike<void>;
    await assert.rejects(withStorageErrors(db, moves), refused);
    await refuses();
    await copyFile(aside, file);
    await refuses();

    await rename(aside, file);
    assert.ok(await companies.setScore('acme', 0.6));
    assert.deepEqual(await namesOf(await openDatabase(t, place)), ['acme']);

    // Now not even its folder is there to ask.
    await rename(place.dataDir, `${place.dataDir}-aside`);
    await writeFile(place.dataDir, '');
    await refuses();
    await rm(place.dataDir);
    await rename(`${place.dataDir}-aside`, place.dataDir);
    assert.ok(await companies.setScore('acme', 0.7));
  });

  it('tells of a disk without room for its tables as what it is, and does not wait for room', async (t) => {
    const disk = mountSmallDisk('16k');
    if (disk === undefined) return t.skip('no file system may be mounted here');
    t.after(() => disk.unmount());
    const opening = waitForDatabase({ dataDir: disk.folder }, collectLog().log, AbortSignal.timeout(5_000));
    await assert.rejects(opening, /SQLITE_IOERR: disk I\/O error; want a disk that works and is not full$/);
  });

  it('survives a disk that is full', async (t) => {
    const disk = mountSmallDisk('1m');
    if (disk === undefined) return t.skip('no file system may be mounted here');
    t.after(() => disk.unmount());
    const db = await openDatabase(t, { dataDir: disk.folder });
    const companies = await registerAcme(db);
    await companies.setScore('acme', 0.5);
    disk.fill(8);

    const answered = await fill(db);
    await assert.rejects(companies.setScore('acme', 0.6), refused);
    assert.deepEqual(await namesOf(db), ['acme', ...answered]);
    assert.deepEqual(await companies.findScore('acme'), { score: 0.5 });

    disk.empty();
    assert.ok(await companies.setScore('acme', 0.6));
    const other = await openDatabase(t, { dataDir: disk.folder });
    assert.deepEqual(await namesOf(other), ['acme', ...answered]);
    assert.deepEqual(await createKnexCompanyStore(other).findScore('acme'), { score: 0.6 });
  });
});
