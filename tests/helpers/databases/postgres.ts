import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findFreePorts } from '../../../launcher/ports.js';
import { eventually } from '../eventually.js';
import { findPostgresBinaries, type User } from './postgres-binaries.js';

const run = promisify(execFile);

/** A PostgreSQL server of one test file. */
export interface PostgresServer {
  /** Makes an empty database. @returns its URL */
  createDatabase(): Promise<string>;
  /** Kills the server as a crash of the machine would. */
  crash(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
  readonly port: number;
  /**
   * Starts a hot standby that follows this server by streaming replication; from now on this server answers a commit
   * when the standby has flushed it too.
   */
  startStandby(): Promise<PostgresServer>;
  /** Makes a standby a server that is written to. */
  promote(): Promise<void>;
  /** Opens a connection of the superuser to this database. */
  connect(database?: string): Promise<pg.Client>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** The first server of a folder. */
interface FirstServer extends PostgresServer {
  /** Ends it and removes the folder, also with what others left there. */
  close(): Promise<void>;
}

interface PostgresOptions {
  /** Whether commits are flushed to the disk; not needed where no power is lost. */
  readonly fsync?: boolean;
  /** Where the temporary folder lies, instead of the usual place. */
  readonly folder?: string | undefined;
}

/**
 * Starts a real PostgreSQL on a free port with its data in a temporary folder. It refuses to run as
 * root: then it runs as `nobody`.
 *
 * @returns why there is none, if none can be had
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<FirstServer | { readonly skip: string }> {
  const scratch = await mkdtemp(path.join(options.folder ?? tmpdir(), 'postgres-'));
  try {
    const user = await findUser();
    await giveTo(scratch, user);
    const binaries = await findPostgresBinaries(scratch, user);
    if (binaries === undefined) throw new Error('no binary of it was found that runs here');
    const server = await startServer({ scratch, user, binaries, fsync: options.fsync ?? false });
    const close = async () => {
      await server.stop();
      await rm(scratch, { recursive: true, force: true });
    };
    return { ...server, close };
  } catch (error) {
    await rm(scratch, { recursive: true, force: true });
    return { skip: `no PostgreSQL: ${error instanceof Error ? error.message : String(error)}` };
  }
}

interface ServerPlace {
  readonly scratch: string;
  readonly binaries: string;
  readonly user: User;
  readonly fsync: boolean;
}

async function startServer(place: ServerPlace): Promise<PostgresServer> {
  const { scratch, binaries, user } = place;
  const password = randomBytes(12).toString('hex');
  const passwordFile = path.join(scratch, 'password');
  const data = path.join(scratch, 'data');
  await writeFile(passwordFile, password, { mode: 0o600 });
  await giveTo(passwordFile, user);
  const rules = ['--username=test', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const files = ['--pgdata', data, '--no-sync', '--encoding=UTF8', '--locale=C'];
  await run(path.join(binaries, 'initdb'), [...rules, ...files], { ...user, env: quietEnvironment });

  return serve(place, data, password, []);
}

/** Serves a data folder. */
async function serve(
  place: ServerPlace,
  data: string,
  password: string,
  settings: readonly string[],
): Promise<PostgresServer> {
  const [port = 0] = await findFreePorts(1);
  let server = await startProcess(place, data, port, settings);
  const killAtExit = () => server.kill('SIGQUIT');
  process.once('exit', killAtExit);
  const urlOf = (database: string) => `postgres://test:${password}@127.0.0.1:${port}/${database}`;
  let databases = 0;

  const connect = async (database = 'postgres') => {
    const client = new pg.Client({ connectionString: urlOf(database) });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const query = async (sql: string) => {
    const client = await connect();
    try {
      return await client.query<Record<string, string>>(sql);
    } finally {
      await client.end();
    }
  };

  return {
    port,
    connect,
    async createDatabase() {
      const name = `test_${++databases}`;
      await query(`CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    crash: () => end(server, 'SIGQUIT'),
    async restart() {
      server = await startProcess(place, data, port, settings);
    },
    async startStandby() {
      const copy = await mkdtemp(path.join(place.scratch, 'standby-'));
      // As pg_basebackup does, which the npm package has not.
      const client = await connect();
      await client.query("SELECT pg_backup_start('standby', true)");
      await run('cp', ['-a', `${data}/.`, copy]);
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
      await client.end();
      const own = ['postmaster.pid', 'standby.signal', 'postgresql.auto.conf'];
      for (const file of own) await rm(path.join(copy, file), { force: true });
      await writeFile(path.join(copy, 'backup_label'), rows[0]?.labelfile ?? '');
      await writeFile(path.join(copy, 'standby.signal'), '');
      await giveTo(copy, place.user);
      for (const file of ['backup_label', 'standby.signal']) await giveTo(path.join(copy, file), place.user);
      const source = `host=127.0.0.1 port=${port} user=test password=${password}`;
      const standby = await serve(place, copy, password, [`primary_conninfo=${source}`]);
      await query("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await query('SELECT pg_reload_conf()');
      await eventually(async () => {
        const { rows: found } = await query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
        return found.length > 0;
      });
      // Waits for the standby, and so for all commits before.
      await query('SELECT pg_current_xact_id()');
      return standby;
    },
    async promote() {
      await query('SELECT pg_promote()');
    },
    async stop() {
      process.removeListener('exit', killAtExit);
      await end(server, 'SIGINT');
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function startProcess(
  { binaries, user, fsync }: ServerPlace,
  data: string,
  port: number,
  more: readonly string[],
): Promise<ChildProcess> {
  const settings = [
    ...more,
    'listen_addresses=127.0.0.1',
    'wal_keep_size=64MB',
    // Old pieces of the log that are kept for reuse take, in the end, all of the small disk of `make faults`.
    'wal_recycle=off',
    'unix_socket_directories=',
    `fsync=${fsync ? 'on' : 'off'}`,
  ];
  const server = spawn(
    path.join(binaries, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...user, env: quietEnvironment, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`postgres did not start: ${log}`)));
    server.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      log = (log + chunk).slice(-4000);
      if (/ready to accept (read-only )?connections/.test(log)) resolve();
    });
  });
  return server;
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.kill(signal);
  await once(server, 'exit');
}

/** None of the PG… variables, which would change what the server and its tools do. */
const quietEnvironment = { PATH: process.env.PATH, LC_ALL: 'C' };

async function findUser(): Promise<User> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'nobody'])).stdout)),
  );
  return { uid: uid ?? 65_534, gid: gid ?? 65_534 };
}

async function giveTo(place: string, { uid, gid }: User): Promise<void> {
  if (uid === undefined || gid === undefined) return;
  await chown(place, uid, gid);
  await chmod(place, 0o700);
}
