import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { launchService } from '../helpers/launched-service.js';
import { createMemoryWatch } from '../helpers/memory.js';
import { createGrpcCase } from './grpc-cases.js';
import { createHttpCase } from './http-cases.js';
import { createPictures } from './pictures.js';
import { createRandom, type Random } from './random.js';
import { createGrpcSender, sendHttp, type Outcome } from './send.js';

const usage = `Sends hostile input to a real core and facade on this machine and judges every answer.

  make fuzz                                  # 20,000 inputs
  make fuzz ARGS="--count 1000000"
  make fuzz ARGS="--seed 7 --only 4711"      # one input again

Wrong are: a crash, a hang, a status or reason outside the table of docs/errors.md or with another code
than there, INTERNAL, and any stack, path or library text in an answer. Bytes of a wrong input go to
out/fuzz/. Memory of both processes is shown before and after.
`;

const concurrency = 12;
const shownProblems = 20;
/** Both processes reach their working size within these inputs. */
const warmUpShare = 0.1;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(usage);
else await main(Number(values.count), Number(values.seed), values.only);

async function main(count: number, seed: number, only: string | undefined): Promise<void> {
  const deaths: string[] = [];
  const service = await launchService({
    // A request that promises more than it sends ends soon.
    environment: { REST_REQUEST_TIMEOUT_MS: '10000' },
    log: (line) => deaths.push(line),
  });
  try {
    const apiKey = service.demo.apiKey;
    const pictures = await createPictures();
    const light = pictures.filter(({ heavy }) => !heavy);
    const pickPicture = (random: Random) => random.pick(random.chance(0.01) ? pictures : light);
    const material = { apiKey, pickPicture };
    const grpc = createGrpcSender(service.grpcAddress, apiKey);
    const port = Number(new URL(service.restUrl).port);

    const run = async (
      index: number,
    ): Promise<{ kind: string; outcome: Outcome; bytes: Buffer }> => {
      const random = createRandom(seed * 1_000_003 + index);
      if (random.chance(0.2)) {
        const item = createGrpcCase(random, material);
        return { kind: item.kind, outcome: await grpc.send(item), bytes: item.message };
      }
      const item = createHttpCase(random, material);
      return { kind: item.kind, outcome: await sendHttp(port, item), bytes: item.bytes };
    };

    const report = createReport(count);
    const memory = createMemoryWatch(() => service.pids());
    let next = only === undefined ? 0 : Number(only);
    const end = only === undefined ? count : next + 1;
    const worker = async (): Promise<void> => {
      while (next < end) {
        const index = next++;
        const { kind, outcome, bytes } = await run(index);
        await report.add(index, kind, outcome, bytes);
        if (index === Math.floor(count * warmUpShare)) memory.mark('warm');
        if (index % 500 === 0) memory.sample();
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    grpc.close();
    memory.mark('end');
    process.exitCode = report.finish(deaths, memory.lines()) ? 0 : 1;
  } finally {
    await service.close();
  }
}

function createReport(count: number) {
  const tallies = new Map<string, number>();
  const problems = new Map<string, number>();
  const startedAt = performance.now();
  let done = 0;
  return {
    async add(index: number, kind: string, { tally, problem }: Outcome, bytes: Buffer) {
      done += 1;
      tallies.set(tally, (tallies.get(tally) ?? 0) + 1);
      if (problem !== undefined) {
        problems.set(problem, (problems.get(problem) ?? 0) + 1);
        if (problems.size <= shownProblems && problems.get(problem) === 1) {
          process.stdout.write(`input ${index} (${kind}): ${problem}\n`);
          await mkdir('out/fuzz', { recursive: true });
          await writeFile(`out/fuzz/${index}.bin`, bytes);
        }
      }
      if (done % Math.max(1_000, Math.floor(count / 20)) === 0) {
        const rate = (done / (performance.now() - startedAt)) * 1_000;
        process.stderr.write(`${done} of ${count}, ${rate.toFixed(0)} inputs a second\n`);
      }
    },
    /** Prints the totals; true when nothing was wrong. */
    finish(deaths: readonly string[], memory: readonly string[]): boolean {
      const wrong = [...problems.values()].reduce((sum, n) => sum + n, 0);
      const sorted = [...tallies].sort(([, a], [, b]) => b - a);
      const seconds = (performance.now() - startedAt) / 1_000;
      process.stdout.write(
        [
          ...sorted.map(([name, n]) => `  ${String(n).padStart(8)}  ${name}`),
          ...memory,
          ...deaths.map((line) => `process ended: ${line}`),
          `${done} inputs in ${seconds.toFixed(0)} s: ${wrong} wrong, ${deaths.length} crashes`,
          '',
        ].join('\n'),
      );
      return wrong === 0 && deaths.length === 0;
    },
  };
}
