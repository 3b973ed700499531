import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createMemoryWatch } from '../helpers/memory.js';
import { launchService } from '../helpers/service/launched-service.js';
import { createGrpcCase } from './grpc-cases.js';
import { createHttpCase } from './http-cases.js';
import { createPicturePicker } from './picture-picker.js';
import { createPictures } from './pictures.js';
import { createRandom, type Random } from './random.js';
import { createGrpcSender, type Outcome, sendHttp } from './send.js';
import { createStandstillCounter } from './standstills.js';

const usage = `Sends hostile input to a real core and facade on this machine and checks every response.

  make fuzz                                  # 20,000 inputs
  make fuzz ARGS="--count 1000000"
  make fuzz ARGS="--count 1000000 --from 400000"  # the rest, after an interruption
  make fuzz ARGS="--concurrency 96"          # requests in flight, for a busy machine
  make fuzz ARGS="--seed 7 --only 4711"      # one input again

Failures are: a crash, a hang, a status, reason or code that differs from the table in docs/errors.md,
INTERNAL, and any stack trace, path or library message in a response. The bytes of a failing input are
saved in out/fuzz/. The memory of both processes is shown before and after. The run can be suspended
(SIGSTOP) together with its two servers, and resumed.
`;

const shownProblems = 20;
/** Both processes reach their working size within these inputs. */
const warmUpShare = 0.1;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
    // One in eight only waits: for the end of a request that promises more than it sends.
    concurrency: { type: 'string', default: '32' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(usage);
else {
  const [seed, from] = [Number(values.seed), Number(values.only ?? values.from)];
  await main(seed, from, values.only === undefined ? Number(values.count) : from + 1);
}

/** Sends the inputs from `from` on, up to `end`. */
async function main(seed: number, from: number, end: number): Promise<void> {
  const deaths: string[] = [];
  const service = await launchService({
    // A deadline that passes is a fault here: on a machine that does other work too, it is far off.
    environment: { REST_REQUEST_TIMEOUT_MS: '60000', CORE_MAX_DEADLINE_MS: '120000' },
    log: (line) => deaths.push(line),
  });
  try {
    const apiKey = service.demo.apiKey;
    const material = { apiKey, pictures: createPicturePicker(await createPictures()) };
    const grpc = createGrpcSender(service.grpcAddress, apiKey);
    const port = Number(new URL(service.restUrl).port);

    const create = (random: Random): FuzzInput => {
      if (random.chance(0.2)) {
        const item = createGrpcCase(random, material);
        return { kind: item.kind, bytes: item.message, send: () => grpc.send(item) };
      }
      const item = createHttpCase(random, material);
      return { kind: item.kind, bytes: item.bytes, send: () => sendHttp(port, item) };
    };

    const report = createReport(end - from);
    const memory = createMemoryWatch(() => service.pids());
    const warm = from + Math.floor((end - from) * warmUpShare);
    const standstills = createStandstillCounter();
    let next = from;
    const worker = async (): Promise<void> => {
      while (next < end) {
        const index = next++;
        const input = create(createRandom(seed * 1_000_003 + index));
        const outcome = await standstills.repeatAfter(input.send);
        await report.add(index, input, outcome);
        if (index === warm) memory.mark('warm');
        if (index % 500 === 0) memory.sample();
      }
    };
    await Promise.all(Array.from({ length: Number(values.concurrency) }, worker));
    grpc.close();
    memory.mark('end');
    process.exitCode = report.finish(deaths, memory.lines()) ? 0 : 1;
  } finally {
    await service.close();
  }
}

interface FuzzInput {
  readonly kind: string;
  readonly bytes: Buffer;
  readonly send: () => Promise<Outcome>;
}

function createReport(count: number) {
  const tallies = new Map<string, number>();
  const problems = new Map<string, number>();
  const startedAt = performance.now();
  let done = 0;
  return {
    async add(index: number, { kind, bytes }: FuzzInput, { tally, problem }: Outcome) {
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
      if (done % Math.max(1_000, Math.floor(count / 100)) === 0) {
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
