import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, describe, it, type TestContext } from 'node:test';
import type { ReadStream } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { createKnexCompanyStore } from '../../../../core-server/access/companies/knex-company-store.js';
import { createPasswordHasher } from '../../../../core-server/access/companies/password.js';
import { createAccess } from '../../../../core-server/access/create-access.js';
import { createApiKeys } from '../../../../core-server/access/keys/api-keys.js';
import { createKnexApiKeyStore } from '../../../../core-server/access/keys/knex-api-key-store.js';
import { apiKeysToTable, companiesToTable } from '../../../../core-server/features/admin/cli/output.js';
import { createAdminProgram } from '../../../../core-server/features/admin/cli/program.js';
import { readPassword } from '../../../../core-server/features/admin/cli/read-password.js';
import { createAdminHandlers } from '../../../../core-server/features/admin/service.js';
import { describePlace } from '../../../../core-server/store/database.js';
import { Operation } from '../../../../generated/imageanalysis/v1/admin.js';
import { openDatabase, placeSqlite, startDialects } from '../../../helpers/databases/databases.js';

const dialects = await startDialects();
after(() => Promise.all(dialects.map((dialect) => dialect.stop())));

describe('admin command', () => {
  it('lists any number', () => {
    const companies = Array.from({ length: 200_000 }, () => ({ name: 'acme', createTime: undefined }));
    const lines = companiesToTable(companies).split('\n');
    assert.equal(lines.length, 200_001);
  });

  it('lists keys with their states in columns', () => {
    const [before, later] = [new Date('2020-02-03T04:05:06Z'), new Date('2999-01-01')];
    const key = { id: 'ia_0123456789ab', label: 'Acmé 🔑', operations: [], createTime: before };
    const operations = [Operation.FACE_DETECTION, Operation.METER_READING];
    const keys = [key, { ...key, operations, expireTime: later }, { ...key, expireTime: before }];
    assert.equal(
      apiKeysToTable([...keys, { ...key, expireTime: later, revokeTime: before }]),
      `
ID               LABEL   OPERATIONS                    CREATED               STATE
ia_0123456789ab  Acmé 🔑  all                           2020-02-03 04:05 UTC  active
ia_0123456789ab  Acmé 🔑  face_detection,meter_reading  2020-02-03 04:05 UTC  active until 2999-01-01 00:00 UTC
ia_0123456789ab  Acmé 🔑  all                           2020-02-03 04:05 UTC  expired 2020-02-03 04:05 UTC
ia_0123456789ab  Acmé 🔑  all                           2020-02-03 04:05 UTC  revoked 2020-02-03 04:05 UTC`.trim(),
    );
    assert.equal(apiKeysToTable([]), 'There are no API keys.');
  });

  it('lists all pages', async (t) => {
    const { admin, db } = await setUp(t);
    const names = Array.from({ length: 2_001 }, (_, i) => `company-${1_000 + i}`);
    await db.batchInsert(
      'companies',
      names.map((name) => ({ name, password_hash: 'scrypt$', create_time_ms: 0 })),
      100,
    );
    const listed = JSON.parse(await admin('companies', 'list', '--json')) as { name: string }[];
    assert.deepEqual(
      listed.map(({ name }) => name),
      names,
    );
  });

  it('prints JSON for scripts', async (t) => {
    const { admin } = await setUp(t);
    const operations = ['face_detection', 'meter_reading'];
    const created = await admin(
      ...['keys', 'create', '--label', 'ci', '--json'],
      ...['--operations', operations.join(', '), '--expires', '2999-01-01T01:00+01:00'],
    );
    const { key, ...apiKey } = JSON.parse(created) as Record<string, string>;
    assert.deepEqual(apiKey, {
      id: key?.slice(0, 15),
      label: 'ci',
      operations,
      create_time: apiKey.create_time,
      expire_time: '2999-01-01T00:00:00.000Z',
      revoke_time: null,
    });
    assert.deepEqual(JSON.parse(await admin('keys', 'list', '--json')), [apiKey]);
    const revoked = await admin('keys', 'revoke', apiKey.id ?? '', '--json');
    const { revoke_time: revokeTime, ...rest } = JSON.parse(revoked) as typeof apiKey;
    assert.deepEqual({ ...rest, revoke_time: null }, apiKey);
    assert.match(revokeTime ?? '', /^\d{4}-.*Z$/);
  });

  it('registers a company with a generated password', async (t) => {
    const { admin, isPassword } = await setUp(t);
    const told = await admin('companies', 'create', 'acme');
    const [, password = ''] =
      /^Registered acme\. Its password: (\S{20})\nKeep it: it cannot be shown again\.$/.exec(told) ?? [];
    assert.ok(await isPassword('acme', password));

    const answer = JSON.parse(await admin('companies', 'set-password', 'acme', '--json')) as Record<string, string>;
    assert.equal(answer['name'], 'acme');
    assert.notEqual(answer['password'], password);
    assert.ok(await isPassword('acme', answer['password'] ?? ''));
  });

  it('lists and deletes companies', async (t) => {
    const { admin, db } = await setUp(t);
    assert.equal(await admin('companies', 'list'), 'There are no companies.');
    const store = createKnexCompanyStore(db);
    await store.insert('beta', 'scrypt$', new Date('2026-01-02T03:04:05Z'));
    await store.insert('acme', 'scrypt$', new Date('2026-01-02T03:04:05Z'));
    await store.setScore('acme', 0.92);
    assert.equal(
      await admin('companies', 'list'),
      'NAME  DETECTION SCORE  CREATED\n' +
        'acme  0.92             2026-01-02 03:04 UTC\n' +
        'beta  default          2026-01-02 03:04 UTC',
    );
    assert.equal(await admin('companies', 'set-score', 'beta', '0.65'), 'Set the score of beta to 0.65.');
    assert.match(await admin('companies', 'set-score', 'beta', '0.7', '--json'), /"detection_score":0.7,/);
    assert.equal(await admin('companies', 'reset-score', 'beta'), 'Reset the score of beta.');
    assert.equal(await admin('companies', 'delete', 'acme', '--json'), '{"name":"acme"}');
    assert.deepEqual(JSON.parse(await admin('companies', 'list', '--json')), [
      { name: 'beta', detection_score: null, create_time: '2026-01-02T03:04:05.000Z' },
    ]);
    assert.equal(await admin('companies', 'delete', 'beta'), 'Deleted beta.');
  });

  it('says what it wants when the command line is wrong', async (t) => {
    const { admin } = await setUp(t);
    const said = t.mock.method(process.stderr, 'write', () => true);
    const create = ['keys', 'create', '--label', 'x'];
    const wrong: [string[], RegExp][] = [
      [[], /Usage: admin/],
      [['keys', 'create'], /required option '--label <text>' not specified/],
      [[...create, '--operations', 'all'], /want any of face_detection, score_config, meter_rea/],
      [[...create, '--expires', '2027-02-30'], /"2027-02-30" is not a time, want 2099-01-01/],
      [[...create, '--expires', 'tomorrow'], /"tomorrow" is not a time, want 2099-01-01/],
      [[...create, '--expires', '2099-01-01T12:00'], /is not a time/],
      [['companies', 'create', 'a', '--password', 'p', '--password-stdin'], /cannot be used with/],
      [['companies', 'set-score', 'a', '.8'], /"\.8" is not a score/],
      [['companies', 'set-score', 'a', '80%'], /"80%" is not a score, want a number from 0 to 1/],
    ];
    for (const [args, message] of wrong) {
      said.mock.resetCalls();
      await assert.rejects(admin(...args), { name: 'CommanderError' }, args.join(' '));
      assert.match(said.mock.calls.map(({ arguments: written }) => String(written[0])).join(''), message);
    }
  });

  it('makes a new store for a new key or company only', async () => {
    const making: string[] = [];
    for (const args of [
      ['keys', 'create', '--label', 'a'],
      ['keys', 'list'],
      ['keys', 'revoke', 'ia_aaaaaaaaaaaa'],
      ['companies', 'create', 'acme'],
      ['companies', 'list'],
      ['companies', 'delete', 'acme'],
      ['companies', 'set-password', 'acme'],
      ['companies', 'set-score', 'acme', '0.5'],
      ['companies', 'reset-score', 'acme'],
    ]) {
      const program = createAdminProgram({
        ...noStore,
        withHandlers: (_, { mayCreate } = { mayCreate: false }) => {
          if (mayCreate) making.push(args.slice(0, 2).join(' '));
          return Promise.reject(new Error('there is no store'));
        },
      });
      await assert.rejects(program.parseAsync(args, { from: 'user' }), /there is no store/);
    }
    assert.deepEqual(making, ['keys create', 'companies create']);
  });

  it('shows no password that is typed, and takes of a pipe only the end of the line', async () => {
    const shown = new PassThrough();
    const input = (isTTY: boolean) =>
      Object.assign(new PassThrough(), { isTTY }) as unknown as PassThrough & ReadStream;
    const [terminal, pipe] = [input(true), input(false)];
    const typed = readPassword(terminal, shown);
    terminal.write('from a keyboard\r');
    assert.equal(await typed, 'from a keyboard');
    assert.equal(String(shown.read()), 'Password: \n');
    pipe.end(' two\nlines \r\n');
    assert.equal(await readPassword(pipe, shown), ' two\nlines ');
    assert.equal(shown.read(), null);
  });
});

describe('the process of the admin command', { concurrency: 2 }, () => {
  it('issues, lists and revokes a key while the store is in use', async (t) => {
    const { run, admin, db } = await setUp(t);
    const apiKeys = createApiKeys(createKnexApiKeyStore(db));

    const created = await run('keys', 'create', '--label', 'Acmé Ltd');
    assert.equal(created.code, 0);
    const [key = '', note] = created.stdout.split('\n');
    const { id } = await apiKeys.authenticate(key);
    assert.equal(note, `Keep it: it cannot be shown again. Its id is ${id}.`);

    const listed = await admin('keys', 'list');
    assert.match(listed, /\nia_\w{12} {2}Acmé Ltd {2}all {9}\d{4}-.* UTC {2}active$/);
    assert.ok(!listed.includes(key));

    assert.equal((await run('keys', 'revoke', id)).stdout, `Revoked ${id}.\n`);
    await assert.rejects(apiKeys.authenticate(key), { reason: 'INVALID_API_KEY' });
    assert.match(await admin('keys', 'list'), /revoked \d{4}-/);
  });

  it('takes a password from the standard input and does not repeat it', async (t) => {
    const { dataDir, admin, isPassword } = await setUp(t);
    const create = ['companies', 'create', 'acme', '--password-stdin'];
    const created = await runAdmin({ CORE_DATA_DIR: dataDir }, 'from a pipe\r\n', create);
    assert.equal(created.stdout, 'Registered acme.\n');
    assert.ok(await isPassword('acme', 'from a pipe'));
    const set = ['companies', 'set-password', 'acme', '--password', 'from-the-line'];
    assert.equal(await admin(...set), 'Set the password of acme.');
    assert.equal(await admin(...set, '--json'), '{"name":"acme"}');
    assert.ok(await isPassword('acme', 'from-the-line'));
  });

  it('backs up a store that is in use, as it is, also that of another version', async (t) => {
    const { run, db, dataDir } = await setUp(t);
    await db('knex_migrations').update({ name: '9999-of-tomorrow' });
    const file = path.join(dataDir, 'backup.sqlite3');
    assert.equal((await run('backup', path.relative('.', file))).stdout, `Wrote ${file}.\n`);
    assert.ok(existsSync(file));
  });

  it('backs up no store that does not exist', async (t) => {
    const { dataDir } = await placeSqlite(t);
    const elsewhere = path.join(dataDir, 'elsewhere');
    const file = path.join(dataDir, 'backup.sqlite3');
    assert.deepEqual(await runAdmin({ CORE_DATA_DIR: elsewhere }, '', ['backup', file]), {
      code: 2,
      stdout: '',
      stderr: `error: there is no store ${elsewhere}/image-analysis.sqlite3 (in CORE_DATA_DIR): want that of a core\n`,
    });
    assert.deepEqual([existsSync(elsewhere), existsSync(file)], [false, false]);
  });

  const away = { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/d' };
  const exits: [when: string, command: string, settings: object, code: number, said: string][] = [
    ['help is wanted', 'companies create --help', {}, 0, ''],
    ['the command is unknown', 'companies rename a', {}, 2, "error: unknown command 'rename'"],
    ['a value is out of its range', 'companies set-score a 80', {}, 2, 'error: detection_score is "80", want a number'],
    ['the service refuses', 'keys revoke ia_000000000000', {}, 1, 'error: id is "ia_000000000000", want the public id'],
    [
      'a setting is wrong',
      'keys list',
      { DATABASE_URL: 'mysql://u:secret@h/d' },
      2,
      'error: DATABASE_URL is set: want',
    ],
    [
      'the store is away',
      'keys list',
      away,
      1,
      'error: cannot open the configuration store postgres://127.0.0.1:1/d (in DATABASE_URL): connect ECONNREFUSED',
    ],
    ['PostgreSQL is to be backed up', 'backup /nowhere/b', away, 2, 'error: DATABASE_URL is set: want pg_dump'],
  ];
  for (const [when, command, settings, exitCode, said] of exits)
    it(`exits with ${exitCode} when ${when}`, async (t) => {
      const { dataDir } = await setUp(t);
      const { code, stderr, stdout } = await runAdmin({ CORE_DATA_DIR: dataDir, ...settings }, '', command.split(' '));
      assert.deepEqual([code, stderr.slice(0, said.length), stdout === ''], [exitCode, said, exitCode > 0]);
    });

  it('says why a folder cannot be looked into, in place of that it has no store', async (t) => {
    const { dataDir } = await placeSqlite(t);
    // Stands for a folder of another user, which root may look into.
    const loop = path.join(dataDir, 'loop');
    symlinkSync('loop', loop);
    const { code, stderr } = await runAdmin({ CORE_DATA_DIR: loop }, '', ['keys', 'list']);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^error: cannot open the configuration store .* \(in CORE_DATA_DIR\): ELOOP: .*image-analysis\.sqlite3'\n$/,
    );
  });

  for (const dialect of dialects)
    it(`says that there is no store, or that it made one, on ${dialect.name}`, { skip: dialect.skip }, async (t) => {
      const { url: DATABASE_URL, dataDir } = await dialect.place(t);
      const settings = { DATABASE_URL, CORE_DATA_DIR: path.join(dataDir, 'elsewhere') };
      const run = (...args: string[]) => runAdmin(settings, '', args);
      const place = describePlace({ url: DATABASE_URL, dataDir: settings.CORE_DATA_DIR });
      const { code, stderr } = await run('companies', 'list');
      assert.deepEqual([code, stderr], [2, `error: there is no store ${place}: want that of a core\n`]);
      assert.equal(existsSync(settings.CORE_DATA_DIR), false);
      assert.equal((await run('keys', 'create', '--label', 'first')).stderr, `created a new store: ${place}\n`);
      assert.equal((await run('keys', 'list')).stderr, '');
    });

  it('says in one line that nobody saw its answer', async (t) => {
    const { admin, dataDir } = await setUp(t);
    const full = openSync('/dev/full', 'w');
    t.after(() => closeSync(full));
    const created = ['keys', 'create', '--label', 'lost'];
    for (const [args, output, cause] of [
      [created, 'closed', 'write EPIPE'],
      [created, full, 'ENOSPC: no space left on device, write'],
      [['--help'], 'closed', 'write EPIPE'],
    ] as const) {
      const { code, stderr } = await runAdmin({ CORE_DATA_DIR: dataDir }, '', args, output);
      const said = `error: the answer was lost (${cause}), but the command was carried out\n`;
      assert.deepEqual([code, stderr], [1, said], args.join(' '));
    }
    assert.equal((JSON.parse(await admin('keys', 'list', '--json')) as unknown[]).length, 2);
  });
});

const noStore: Parameters<typeof createAdminProgram>[0] = {
  withHandlers: () => assert.fail('it needs a store'),
  backUp: () => assert.fail('it needs a store'),
  write: () => undefined,
  readPassword: () => assert.fail('nothing is typed'),
};

async function setUp(t: TestContext) {
  const { dataDir } = await placeSqlite(t);
  // Open all the while, as by a running core.
  const db = await openDatabase(t, { dataDir });
  const settings = { CORE_DATA_DIR: dataDir };
  const hasher = createPasswordHasher();
  const handlers = createAdminHandlers(createAccess(db));
  return {
    dataDir,
    db,
    /** Runs it in this process. @returns what it writes */
    admin: async (...args: string[]) => {
      const written: string[] = [];
      const write = (text: string) => void written.push(text);
      const program = createAdminProgram({ ...noStore, withHandlers: (work) => work(handlers), write });
      await program.parseAsync(args, { from: 'user' });
      return written.join('\n');
    },
    run: (...args: string[]) => runAdmin(settings, '', args),
    isPassword: async (name: string, password: string) => {
      const stored = await createKnexCompanyStore(db).findPasswordHash(name);
      return stored !== undefined && hasher.verify(password, stored);
    },
  };
}

/** @param output of the command: read, closed before it writes, or an open file */
async function runAdmin(
  settings: object,
  input: string,
  args: readonly string[],
  output: 'pipe' | 'closed' | number = 'pipe',
) {
  const script = fileURLToPath(new URL('../../../../core-server/admin-cli.js', import.meta.url));
  const env = { PATH: process.env.PATH, ...settings };
  const stdio = ['pipe', output === 'closed' ? 'pipe' : output, 'pipe'] as const;
  const child = spawn(process.execPath, [script, ...args], { env, stdio: [...stdio] });
  child.stdin?.on('error', () => undefined).end(input); // it may end without reading
  if (output === 'closed') child.stdout?.destroy();
  const [stdout, stderr, exit] = await Promise.all([
    output === 'pipe' ? text(child.stdout as Readable) : '',
    text(child.stderr as Readable),
    once(child, 'exit'),
  ]);
  return { code: exit[0] as number | null, stdout, stderr };
}
