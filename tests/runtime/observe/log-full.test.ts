import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findFreePorts } from '../../../launcher/ports.js';
import { eventually } from '../../helpers/eventually.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

const logModule = new URL('../../../runtime/observe/log.js', import.meta.url).href;
const facade = fileURLToPath(new URL('../../../rest-facade/main.js', import.meta.url));

test('a process serves and stops well though its log is on a full disk', { timeout: 30_000 }, async (t) => {
  const full = await open('/dev/full', 'w');
  t.after(() => full.close());
  const [port = 0] = await findFreePorts(1);
  const env = { REST_PORT: String(port), REST_CORE_ADDRESS: '127.0.0.1:1' };
  const child = spawn(process.execPath, [facade], { env, stdio: ['ignore', full.fd, 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  await eventually(() => fetch(`${url}/livez`).catch(() => undefined));
  // Each makes a line.
  for (let i = 0; i < 3; i += 1) assert.equal((await fetch(`${url}/no/such/route`)).status, 404);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test(
  'lines that could not be written are written or counted once they can be, also after a fatal one',
  { timeout: 30_000 },
  async (t) => {
    const folder = await createTemporaryFolder(t);
    const [program, log] = [path.join(folder, 'program.mjs'), path.join(folder, 'log')];
    await writeFile(
      program,
      `import { truncateSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from ${JSON.stringify(logModule)};
const log = createLog({ level: 'info', service: 'core', fd: process.stdout.fd });
for (let line = 0; line < 1_000; line += 1) log.info({ line, filler: 'x'.repeat(1_000) });
log.fatal('at a full disk');
truncateSync(${JSON.stringify(log)});
for (let line = 1_000; line < 1_002; line += 1) {
  log.info({ line });
  await sleep(0);
}`,
    );
    // A file may have half a million bytes at most: a disk that is full then, and empty after truncateSync.
    const limited = 'ulimit -f 1000; exec "$0" "$1" >> "$2"';
    const child = spawn('sh', ['-c', limited, process.execPath, program, log], { stdio: 'inherit' });
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    // Of the first, the beginning was in the file before.
    const [, ...lines] = (await readFile(log, 'utf8')).split('\n').slice(0, -1);
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const kept = events.flatMap(({ line }) => (line === undefined ? [] : [Number(line)]));
    assert.ok(kept.length > 20, `${kept.length} lines`);
    assert.equal(kept.at(-1), 1_001);
    const loss = events.find(({ msg }) => msg === 'log lines were lost: they could not be written');
    assert.equal(loss?.['level'], 'warn');
    assert.ok(Number(loss['lines']) > 100, String(loss['lines']));
  },
);

// Those of Node.js are sockets.
for (const kind of ['pipe', 'socket'])
  test(`nobody who stops reading the log by a ${kind} stops the process`, { timeout: 30_000 }, async (t) => {
    const folder = await createTemporaryFolder(t);
    const [program, done] = [path.join(folder, 'program.mjs'), path.join(folder, 'done')];
    await writeFile(
      program,
      `import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from ${JSON.stringify(logModule)};
const log = createLog({ level: 'info', service: 'core', fd: process.stdout.fd });
for (let line = 0; line < 2_000; line += 1) log.info({ line, filler: 'x'.repeat(1_000) });
writeFileSync(${JSON.stringify(done)}, '');
while (existsSync(${JSON.stringify(done)})) await sleep(20);
`,
    );
    const [file, args] =
      kind === 'pipe' ? ['sh', ['-c', '"$0" "$1" | cat', process.execPath, program]] : [process.execPath, [program]];
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    await eventually(() => existsSync(done));
    const events: Record<string, unknown>[] = [];
    for await (const line of createInterface(child.stdout)) {
      const event = JSON.parse(line) as Record<string, unknown>;
      events.push(event);
      if ('lines' in event) await rm(done);
    }
    const kept = events.filter(({ line }) => line !== undefined).length;
    assert.ok(kept > 60, `${kept} lines`);
    const loss = events.at(-1);
    assert.equal(loss?.['msg'], 'log lines were lost: they could not be written');
    assert.equal(Number(loss['lines']) + kept, 2_000);
  });
