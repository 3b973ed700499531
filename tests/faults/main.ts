import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createRandom } from '../fuzz/random.js';
import { launchService, type LaunchedService } from '../helpers/launched-service.js';
import { createMemoryWatch } from '../helpers/memory.js';
import { createClients } from './clients.js';

const usage = `Kills the core, its inference workers or the facade at random moments, under load and while a score
is being changed, and lets the supervisor of make run bring them back, at once in place of its growing
waits. A round is one kill and the time until a detection is answered again.

  make faults                                # 10 rounds
  make faults FAULTS=1000 ARGS="--seed 7"

Wrong are: an answered change of the score that is not there afterwards, a request that hangs, and a
refusal that no kill explains.
`;

const victims = ['core', 'workers', 'facade'] as const;
type Victim = (typeof victims)[number];

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(usage);
else await main(Number(values.rounds), Number(values.seed));

async function main(rounds: number, seed: number): Promise<void> {
  const service = await launchService({
    environment: {
      CORE_WORKERS: '1',
      NODE_OPTIONS: `--import ${new URL('./end-workers.js', import.meta.url).href}`,
    },
    restarts: { minBackoffMs: 1, maxBackoffMs: 1 },
  });
  const random = createRandom(seed);
  const recoveriesMs: Record<Victim, number[]> = { core: [], workers: [], facade: [] };
  let wrong = 0;
  let stop = (): Promise<void> => Promise.resolve();
  try {
    const clients = await createClients({ ...service.demo, restUrl: service.restUrl });
    const memory = createMemoryWatch(() => service.pids());
    stop = clients.start();
    await clients.untilAnswered();
    memory.mark('start');
    for (let round = 1; round <= rounds; round += 1) {
      await sleep(random.int(1_000));
      const victim = random.pick(victims);
      const killedAt = performance.now();
      kill(service, victim);
      await clients.untilAnswered();
      recoveriesMs[victim].push(performance.now() - killedAt);
      const problems = clients.problems();
      wrong += problems.length;
      for (const what of problems) process.stdout.write(`round ${round}, ${victim}: ${what}\n`);
      if (round % 10 === 0) process.stderr.write(`round ${round} of ${rounds}: ${wrong} wrong\n`);
    }
    await stop();
    memory.mark('end');
    const counts = Object.entries(clients.counts()).map(([what, count]) => `${count} ${what}`);
    const lines = [`requests: ${counts.join(', ')}`, ...victims.map(describe), ...memory.lines()];
    process.stdout.write(`${lines.join('\n')}\n${rounds} rounds: ${wrong} wrong\n`);
  } finally {
    await stop();
    await service.close();
  }
  process.exitCode = wrong === 0 ? 0 : 1;

  function describe(victim: Victim): string {
    const sorted = recoveriesMs[victim].sort((a, b) => a - b);
    const at = (share: number): string =>
      (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(0);
    return `${victim} killed ${sorted.length} times; answers again after: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`;
  }
}

function kill(service: LaunchedService, victim: Victim): void {
  const pid = service.pids()[victim === 'workers' ? 'core' : victim];
  if (pid === undefined) throw new Error(`the ${victim} cannot be killed: not running`);
  process.kill(pid, victim === 'workers' ? 'SIGUSR2' : 'SIGKILL');
}
