import { mkdir, writeFile } from 'node:fs/promises';
import { quantile, sum } from '../../bench/measure/statistics.js';
import { number, readOptions, stop } from '../helpers/command-line.js';
import { createMemoryWatch } from '../helpers/memory.js';
import { launchService } from '../helpers/service/launched-service.js';
import { costLine, createCostMeter, inspectionLine, inspectionMs, leastCost, minimise } from './cost.js';
import { createGrpcCase } from './grpc-cases.js';
import { createHttpCase } from './http-cases.js';
import { createPicturePicker } from './picture-picker.js';
import { createPictures } from './pictures.js';
import { createRandom, type Random } from './random.js';
import { createGrpcSender, type Outcome, sendHttp } from './send.js';

const usage = `Sends hostile input to a real core and facade on this machine and checks every response.

  make fuzz                                  # 20,000 inputs
  make fuzz ARGS="--count 1000000"
  make fuzz ARGS="--count 1000000 --from 400000"  # the rest, after an interruption
  make fuzz ARGS="--concurrency 96"          # requests in flight, for a busy machine
  make fuzz ARGS="--seed 7 --only 4711"      # one input again

Failures are: a crash, a hang, a status, reason or code that differs from the table in docs/errors.md,
INTERNAL, any stack trace, path or library text in the message of a refusal, an input that alone costs the main thread of
core or facade more processor time than 5 ms a request and 1 ms for each 100 KB, and a picture whose inspection costs
a worker more than 10 ms and 1 ms for each 50 KB. The bytes of a failing input are saved in out/fuzz/, of a picture that is too dear
its shortest part that still is. The memory of both processes is
shown before and after, and how long /readyz took.
`;

const shownProblems = 20;
/** Both processes reach their working size within these inputs. */
const warmUpShare = 0.1;

const values = readOptions({
  count: number(20_000, 1),
  seed: number(1, 0),
  from: number(0, 0),
  only: { type: 'string' },
  // One in eight only waits: for the end of a request that promises more than it sends.
  concurrency: number(32, 1),
  help: { type: 'boolean', default: false },
});
if (values.help) process.stdout.write(usage);
else {
  const from = Number(values.only ?? values.from);
  const end = values.only === undefined ? Number(values.count) : from + 1;
  if (!(from < end)) stop('no input is chosen, want --from below --count, and a number with --only');
  await main(Number(values.seed), from, end);
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
        const { kind, message, picture } = item;
        return { kind, bytes: message, picture, isBrief: true, requests: 1, send: () => grpc.send(item) };
      }
      const item = createHttpCase(random, material);
      const { kind, bytes, picture, owesAnswer: isBrief, requests = 1 } = item;
      return { kind, bytes, picture, isBrief, requests, send: () => sendHttp(port, item) };
    };

    const report = createReport(end - from);
    const memory = createMemoryWatch(() => service.pids());
    const delay = watchDelay(new URL('/readyz', service.restUrl));
    const costs = createCostMeter(() => service.pids());
    const warm = from + Math.floor((end - from) * warmUpShare);
    const usual = createUsualCost();
    const waiting: Promise<void>[] = [];
    for (let next = from; next < end;) {
      const group: [index: number, input: FuzzInput][] = [];
      for (; next < end && group.length < Number(values.concurrency); next += 1)
        group.push([next, create(createRandom(seed * 1_000_003 + next))]);
      for (const [index, input] of group) await judgeInspection(index, input);
      costs.take();
      const sent = group.map(async ([index, input]) => report.add(index, input, await input.send()));
      await Promise.all(sent.filter((_, i) => group[i]?.[1].isBrief));
      // One in eight only waits: for the end of a request that promises more than it sends.
      waiting.push(...sent.filter((_, i) => !group[i]?.[1].isBrief));
      if (waiting.length > 3 * group.length) await Promise.all(waiting.splice(0, group.length));
      const isSuspect = costs.counts && usual.isExceededBy(sum(costs.take()));
      if (isSuspect || values.only !== undefined) {
        // What ends later would be counted with another input.
        await Promise.all(waiting.splice(0));
        for (const [index, input] of group) await judgeCost(index, input);
      }
      if (next >= warm && next - group.length < warm) memory.mark('warm');
      memory.sample();
    }
    await Promise.all(waiting);

    async function judgeCost(index: number, input: FuzzInput): Promise<void> {
      const line = costLine(input.bytes.length, input.requests);
      const measure = async (): Promise<number> => {
        costs.take();
        await input.send();
        return Math.max(...costs.take());
      };
      const ms = await delay.whilePaused(() => leastCost(line, measure));
      if (ms <= line) return;
      process.stdout.write(`input ${index}: ${ms.toFixed(1)} ms, at most ${line.toFixed(1)}\n`);
      const problem = `costs more than ${line.toFixed(0)} ms of a main thread`;
      await report.add(index, input, { tally: 'too dear', problem });
    }

    /** What a worker does with a picture before it is decoded, done here. */
    async function judgeInspection(index: number, input: FuzzInput): Promise<void> {
      const { picture } = input;
      if (picture === undefined) return;
      const line = inspectionLine(picture);
      const ms = await leastCost(line, () => inspectionMs(picture));
      if (ms <= line) return;
      const bytes = minimise(picture, (part) => inspectionMs(part) > inspectionLine(part));
      process.stdout.write(`input ${index}: ${ms.toFixed(1)} ms, at most ${line.toFixed(1)}\n`);
      const problem = `has a picture that costs more than ${line.toFixed(0)} ms of a worker to inspect`;
      await report.add(index, { ...input, bytes }, { tally: 'too dear', problem });
    }
    grpc.close();
    memory.mark('end');
    const uncounted = costs.counts ? [] : ['what requests cost is not known: this system does not count it'];
    process.exitCode = report.finish(deaths, [...memory.lines(), delay.stop(), ...uncounted]) ? 0 : 1;
  } finally {
    await service.stop();
  }
}

interface FuzzInput {
  readonly kind: string;
  readonly bytes: Buffer;
  /** Whether it is answered soon. */
  readonly isBrief: boolean;
  readonly requests: number;
  /** The one in it, by itself. */
  readonly picture?: Buffer | undefined;
  readonly send: () => Promise<Outcome>;
}

/**
 * Knows what a group of inputs costs that has nothing dear in it: whatever costs 15 ms more may contain one that costs
 * too much. It follows the cheap groups, so that what is dear in every group shows. The first is no measure of itself.
 */
function createUsualCost() {
  let usual = NaN;
  return {
    isExceededBy(ms: number): boolean {
      const isExceeded = !(ms <= usual + 15);
      usual = ms >= usual ? usual + 0.5 : ms;
      return isExceeded;
    },
  };
}

/** How long the service takes to say that it is ready: a question to both event loops, ten times a second. */
function watchDelay(url: URL) {
  const delays: number[] = [];
  let isPaused = false;
  const timer = setInterval(() => {
    if (isPaused) return;
    const askedAt = performance.now();
    void fetch(url)
      .then((answer) => answer.text())
      .catch(() => undefined)
      .finally(() => delays.push(performance.now() - askedAt));
  }, 100);
  return {
    /** Asking costs the main threads time, too. */
    async whilePaused<T>(work: () => Promise<T>): Promise<T> {
      isPaused = true;
      return await work().finally(() => (isPaused = false));
    },
    stop(): string {
      clearInterval(timer);
      const at = (share: number) => quantile(delays, share).toFixed(0);
      return `/readyz took ${at(0.5)} ms in the median, ${at(0.99)} ms at the 99th percentile, ${at(1)} ms at most`;
    },
  };
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
      const wrong = sum([...problems.values()]);
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
