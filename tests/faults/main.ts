import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../fuzz/random.js';
import { number, readOptions } from '../helpers/command-line.js';
import { createMemoryWatch } from '../helpers/memory.js';
import { createRunningTime } from '../helpers/running-time.js';
import { type LaunchedService, launchService } from '../helpers/service/launched-service.js';
import { createClients } from './clients.js';
import { startPostgresFaults } from './postgres-faults.js';
import { describeRecord, type FaultRecord, readRecord, writeRecord } from './record.js';

const usage = `Kills the core, its inference workers or the facade at random moments, under load and while a score
is being changed, and has the supervisor of make run restart them, immediately instead of with growing
delays. A round is one kill. After half of the rounds, the next kill waits until a detection and a change
succeed again; after the others it comes at a random moment during startup.

  make faults                                # 10 rounds
  make faults FAULTS=1000 ARGS="--seed 7"
  make faults FAULTS=1000 ARGS="--record out/faults.json"   # resumes where it was interrupted

Failures are: a confirmed change of the score that is lost afterwards, a request that hangs, and a
refusal that no kill explains. With --postgres, the store is a PostgreSQL server with a synchronous standby, and
a round is a failover to it, or a server that answers nothing, may only be read, waits for its standby, has no
connection left, for others or for the core's statements, or ends because its disk is full (as root, who may mount).

  make faults FAULTS=200 ARGS=--postgres

Time during which the run is suspended (SIGSTOP) does not count.
`;

/** A start takes a few seconds, so most kills that do not wait for its end hit it. */
const startMs = 1_500;
const pauseMs = 400;
const comeBackMs = 120_000;

const values = readOptions({
  rounds: number(10),
  seed: number(1),
  record: { type: 'string' },
  postgres: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});
if (values.help) process.stdout.write(usage);
else await main(Number(values.rounds), Number(values.seed));

async function main(rounds: number, seed: number): Promise<void> {
  const record = readRecord(values.record);
  const random = createRandom(seed + record.rounds);
  const time = createRunningTime();
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
    const { requests } = record;
    const clients = await createClients({
      ...{ ...service.demo, restUrl: service.restUrl, time },
      count: (outcome) => void (requests[outcome] = (requests[outcome] ?? 0) + 1),
    });
    const note = (when: string): void => {
      const problems = clients.problems();
      record.wrong += problems.length;
      for (const what of problems) process.stdout.write(`${when}: ${what}\n`);
      if (values.record !== undefined) writeRecord(values.record, record);
    };
    const memory = createMemoryWatch(() => service.pids());
    stop = clients.start();
    await clients.untilAnswered(comeBackMs);
    memory.mark('start');
    let killed: string[] = [];
    while (record.rounds < rounds) {
      record.rounds += 1;
      const isStarting = killed.length > 0;
      await sleep(random.int(isStarting ? startMs : pauseMs));
      // Only a core that is up has workers.
      const processes = isStarting ? ['core', 'facade'] : ['core', 'workers', 'facade'];
      const victim = random.pick(postgres ? Object.keys(postgres.faults) : processes);
      const killedAt = time.now();
      await (postgres?.faults[victim]?.() ?? kill(service, victim));
      killed.push(victim);
      if (record.rounds < rounds && random.chance(0.5)) continue;
      await clients.untilAnswered(comeBackMs);
      noteRecovery(record, killed, time.now() - killedAt);
      note(`round ${record.rounds}, ${killed.join(', ')}`);
      killed = [];
      process.stderr.write(`round ${record.rounds} of ${rounds}: ${record.wrong} wrong\n`);
    }
    await stop();
    note('at the end');
    memory.mark('end');
    process.stdout.write(`${[...memory.lines(), ...describeRecord(record)].join('\n')}\n`);
  } finally {
    await stop();
    await service.close();
    await postgres?.close();
  }
  process.exitCode = record.wrong === 0 ? 0 : 1;
}

function noteRecovery({ recoveriesMs }: FaultRecord, killed: readonly string[], ms: number): void {
  const what = killed.length === 1 ? String(killed[0]) : 'several in a row';
  (recoveriesMs[what] ??= []).push(ms);
}

async function kill(service: LaunchedService, victim: string): Promise<void> {
  const find = () => service.pids()[victim === 'facade' ? 'facade' : 'core'];
  // Between two lives it has none.
  while (find() === undefined) await sleep(1);
  process.kill(find() as number, victim === 'workers' ? 'SIGUSR2' : 'SIGKILL');
}
