import { setTimeout as sleep } from 'node:timers/promises';
import { median, quantile } from '../../bench/measure/statistics.js';
import { createRandom } from '../fuzz/random.js';
import { number, readOptions } from '../helpers/command-line.js';
import { createMemoryWatch } from '../helpers/memory.js';
import { type LaunchedService, launchService } from '../helpers/service/launched-service.js';
import { createClients } from './clients.js';
import { startPostgresFaults } from './postgres-faults.js';

const usage = `Kills the core, its inference workers or the facade at random moments, under load and while a score
is being changed, and has the supervisor of make run restart them, immediately instead of with growing
delays. A round is one kill. After half of the rounds, the next kill waits until a detection and a change
succeed again; after the others it comes at a random moment during startup.

  make faults                                # 10 rounds
  make faults FAULTS=1000 ARGS="--seed 7"

Failures are: a confirmed change of the score that is lost afterwards, a request that hangs, a refusal that no
kill explains, and a connection that is broken off though the facade was not killed. With --postgres, the store is a PostgreSQL server with a synchronous standby, and
a round is a failover to it, or a server that answers nothing, may only be read, waits for its standby, has no
connection left, for others or for the core's statements, or ends because its disk is full (as root, who may mount).

  make faults FAULTS=200 ARGS=--postgres
`;

/** A start takes a few seconds, so most kills that do not wait for its end hit it. */
const startMs = 1_500;
const pauseMs = 400;
const comeBackMs = 120_000;

const values = readOptions({
  rounds: number(10, 1),
  seed: number(1, 0),
  postgres: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});
if (values.help) process.stdout.write(usage);
else await main(Number(values.rounds), Number(values.seed));

async function main(rounds: number, seed: number): Promise<void> {
  const random = createRandom(seed);
  /** Requests by what came of them. */
  const requests: Record<string, number> = {};
  /** By what was killed: how long until a detection was answered again, and a change kept. */
  const recoveriesMs: Record<string, number[]> = {};
  let wrong = 0;
  let broken: string[] = [];
  const postgres = values.postgres ? await startPostgresFaults() : undefined;
  const service = await launchService({
    environment: {
      CORE_WORKERS: '1',
      ...(postgres && { DATABASE_URL: postgres.url }),
      NODE_OPTIONS: `--import ${new URL('./end-workers.js', import.meta.url).href}`,
    },
    backoffMs: 1,
  });
  let stop = (): Promise<void> => Promise.resolve();
  try {
    const clients = await createClients({
      ...service.demo,
      restUrl: service.restUrl,
      count(outcome, reason) {
        requests[outcome] = (requests[outcome] ?? 0) + 1;
        if (outcome === 'broken') broken.push(`broken off: ${reason}`);
      },
    });
    const note = (when: string, killed: readonly string[] = []): void => {
      const problems = [...clients.problems(), ...(killed.includes('facade') ? [] : broken)];
      broken = [];
      wrong += problems.length;
      for (const what of problems) process.stdout.write(`${when}: ${what}\n`);
    };
    const memory = createMemoryWatch(() => service.pids());
    stop = clients.start();
    await clients.untilAnswered(comeBackMs);
    memory.mark('start');
    let killed: string[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const isStarting = killed.length > 0;
      await sleep(random.int(isStarting ? startMs : pauseMs));
      // Only a core that is up has workers.
      const processes = isStarting ? ['core', 'facade'] : ['core', 'workers', 'facade'];
      const victim = random.pick(postgres ? Object.keys(postgres.faults) : processes);
      const killedAt = performance.now();
      await (postgres?.faults[victim]?.() ?? kill(service, victim));
      killed.push(victim);
      if (round < rounds && random.chance(0.5)) continue;
      await clients.untilAnswered(comeBackMs, killed.join(', '));
      const what = killed.length === 1 ? String(killed[0]) : 'several in a row';
      (recoveriesMs[what] ??= []).push(performance.now() - killedAt);
      note(`round ${round}, ${killed.join(', ')}`, killed);
      killed = [];
      process.stderr.write(`round ${round} of ${rounds}: ${wrong} wrong\n`);
    }
    await stop();
    note('at the end');
    memory.mark('end');
    const counts = Object.entries(requests).map(([what, count]) => `${count} ${what}`);
    const times = Object.entries(recoveriesMs).map(([what, found]) => {
      const at = (share: number): string => quantile(found, share).toFixed(0);
      return `${what} killed ${found.length} times; answers again after: median ${median(found).toFixed(0)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`;
    });
    const lines = [...memory.lines(), `requests: ${counts.join(', ')}`, ...times.sort()];
    process.stdout.write(`${lines.join('\n')}\n${rounds} rounds: ${wrong} wrong\n`);
  } finally {
    await stop();
    await service.stop();
    await postgres?.close();
  }
  process.exitCode = wrong === 0 ? 0 : 1;
}

async function kill(service: LaunchedService, victim: string): Promise<void> {
  const find = () => service.pids()[victim === 'facade' ? 'facade' : 'core'];
  // Between two lives it has none.
  while (find() === undefined) await sleep(1);
  process.kill(find() as number, victim === 'workers' ? 'SIGUSR2' : 'SIGKILL');
}
