import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, describe, it, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { collectLog } from '../../helpers/collect-log.js';
import { startDialects } from '../../helpers/databases/databases.js';
import { eventually } from '../../helpers/eventually.js';
import { openStage, scriptedWorkerUrl } from '../../helpers/pictures/scripted-pictures.js';
import { startScripted } from '../../helpers/service/scripted-service.js';
import { startService } from '../../helpers/service/service.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

// The whole service while its PostgreSQL goes and comes back.

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

describe('PostgreSQL that goes while the service runs', { skip: postgres.skip }, () => {
  it('is refused as worth a retry, loses no answered score, and is used again', async (t) => {
    const { url = '' } = await postgres.place(t);
    const { service } = await startScripted(t, { DATABASE_URL: url });
    const password = 'correct horse';
    const headers = { apikey: service.apiKey, 'x-company-password': password };
    const addressOf = (company: string) => `${service.rest}/v1/companies/${company}/detection-score`;
    const refusals = new Set<string>();
    const lost: string[] = [];
    let readBack = 0;
    let stopped = false;

    /** Each change is read back before the next could hide that it was lost. */
    const changeAndRead = async (company: string): Promise<void> => {
      let answered = 0;
      const ask = async (init: RequestInit) => {
        const answer = await fetch(addressOf(company), { headers, ...init });
        const body = (await answer.json()) as { reason: string; detection_score: number };
        if (answer.ok) return body;
        refusals.add(`${answer.status} ${body.reason}`);
        await sleep(20);
        return undefined;
      };
      for (let sent = 1; !stopped; sent += 1) {
        const body = JSON.stringify({ detection_score: sent / 1e6 });
        if (await ask({ method: 'PUT', body })) answered = sent;
        let found: { detection_score: number } | undefined;
        while (!(found = await ask({})));
        const stored = Math.round(found.detection_score * 1e6);
        // One that was sent and not answered may have been stored or not.
        if (answered > 0 && (stored < answered || stored > sent)) lost.push(`answered ${answered}, found ${stored}`);
        if (answered === sent) readBack += 1;
      }
    };

    for (const company of ['acme', 'beta']) await service.createCompany(company, password);
    const loops = ['acme', 'beta'].map(changeAndRead);
    await eventually(() => readBack >= 4, 60_000);
    await postgres.server?.crash();
    await eventually(() => refusals.size > 0, 60_000);
    await postgres.server?.restart();
    readBack = 0;
    await eventually(() => readBack >= 4, 60_000);
    stopped = true;
    await Promise.all(loops);
    assert.deepEqual(lost, []);
    assert.deepEqual([...refusals], ['503 STORE_UNAVAILABLE']);
  });
});

describe('PostgreSQL that is not there when the service starts', { skip: postgres.skip }, () => {
  it('is waited for, with a word in the log', async (t) => {
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
});
