import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { collectLog } from '../../helpers/collect-log.js';
import { startDialects } from '../../helpers/databases/databases.js';
import { openStage, scriptedWorkerUrl } from '../../helpers/pictures/scripted-pictures.js';
import { startService } from '../../helpers/service/service.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

// A service whose PostgreSQL is not there when it starts.

const [, postgres] = await startDialects();
after(() => postgres.stop());

test('a core that waits for its PostgreSQL ends well when it is told to stop', async (t) => {
  const dataDir = await createTemporaryFolder(t);
  const main = fileURLToPath(new URL('../../../core-server/main.js', import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { CORE_DATA_DIR: dataDir, CORE_WORKERS: '1', DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const said: unknown[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg } = JSON.parse(line) as { msg: string };
    if (!msg.endsWith('; trying again')) said.push(msg);
    else child.kill('SIGTERM');
  }
  assert.deepEqual(await exited, [0, null]);
  assert.deepEqual(said, ['stopping', 'stopped']);
});

test('PostgreSQL is waited for, with a word in the log', { skip: postgres.skip }, async (t) => {
  openStage(t);
  const { url = '' } = await postgres.place(t);
  await postgres.server?.crash();
  const log = collectLog();
  const starting = startService(t, { DATABASE_URL: url }, log.log, scriptedWorkerUrl);
  const { msg } = await log.waitFor(({ level }) => level === 40, 60_000);
  assert.match(String(msg), /^cannot open the configuration store .*; trying again$/);
  await postgres.server?.restart();
  const service = await starting;
  const answer = await fetch(`${service.rest}/readyz`);
  assert.equal(answer.status, 200);
});
