import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createRandom } from '../fuzz/random.js';
import { launchService } from '../helpers/launched-service.js';
import { createMemoryWatch } from '../helpers/memory.js';
import { createClients } from './clients.js';

const usage = `Kills the core or the facade with SIGKILL at random moments, under load and while a score is
being changed, and lets the supervisor of make run bring them back.

  make faults                                # 10 rounds
  make faults ARGS="--rounds 1000 --seed 7"

Wrong are: an answered change of the score that is not there afterwards, a request that hangs, and a
refusal that no kill explains.
`;

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
  const service = await launchService({});
  const random = createRandom(seed);
  const kills = { core: 0, facade: 0 };
  const recoveriesMs: number[] = [];
  const wrong: string[] = [];
  try {
    const clients = await createClients({ ...service.demo, restUrl: service.restUrl });
    const memory = createMemoryWatch(() => service.pids());
    memory.mark('start');
    for (let round = 1; round <= rounds; round += 1) {
      const stop = clients.start();
      await sleep(random.int(1_500));
      const victim = random.pick(['core', 'core', 'facade'] as const);
      const pid = service.pids()[victim];
      if (pid === undefined) throw new Error(`${victim} is not running`);
      process.kill(pid, 'SIGKILL');
      kills[victim] += 1;
      const killedAt = performance.now();
      await untilReady(service.restUrl, () => service.pids()[victim] !== pid);
      recoveriesMs.push(performance.now() - killedAt);
      await stop();
      wrong.push(...(await clients.check()).map((what) => `round ${round}: ${what}`));
      process.stderr.write(`round ${round} of ${rounds}: ${victim} killed\n`);
    }
    memory.mark('end');
    process.stdout.write(report(clients.counts(), kills, recoveriesMs, wrong, memory.lines()));
  } finally {
    await service.close();
  }
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

/** Polls until the new process serves. */
async function untilReady(restUrl: string, isNew: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 120_000;
  while (performance.now() < giveUpAt) {
    const isReady = await fetch(`${restUrl}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady && isNew()) return;
    await sleep(20);
  }
  throw new Error('the service did not come back within 120 s');
}

function report(
  counts: Readonly<Record<string, number>>,
  kills: Readonly<Record<string, number>>,
  recoveriesMs: readonly number[],
  wrong: readonly string[],
  memory: readonly string[],
): string {
  const sorted = [...recoveriesMs].sort((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(0);
  return [
    ...wrong,
    `killed: core ${kills['core']}, facade ${kills['facade']}`,
    `requests: ${Object.entries(counts)
      .map(([what, n]) => `${n} ${what}`)
      .join(', ')}`,
    `ready again after: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`,
    ...memory,
    `${recoveriesMs.length} rounds: ${wrong.length} wrong`,
    '',
  ].join('\n');
}
