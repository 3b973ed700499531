import { availableParallelism, loadavg } from 'node:os';
import { file, number, readOptions, stop } from '../helpers/command-line.js';
import { measureDisconnect } from './disconnect.js';
import { measureFairness } from './fairness.js';
import { measureFlood } from './flood.js';
import { type Line, renderLines } from './lines.js';
import { measureSlowClients } from './slow-clients.js';
import { openStage, type Stage } from './stage.js';

const usage = `Overloads a real core and facade on this machine, and prints the results next to their targets.

  make overload                              # about two minutes
  make overload ARGS="--seconds 60"          # a minute per flood
  make overload ARGS="--only flood --picture FILE"

flood: ten times the capacity, by REST and by gRPC.
fair:  one key floods while another works normally.
gone:  waiting clients disconnect.
slow:  clients that send very slowly, or do not read their responses.

The load generators run on the same CPU cores as the service, so every figure includes their share and any
other load on the machine. The load average is printed for that reason.
`;

type Measurement = readonly [title: string, measure: (stage: Stage) => Promise<Line[]>];

const parts: Readonly<Record<string, readonly Measurement[]>> = {
  flood: [
    ['Ten times the capacity by REST', (stage) => measureFlood(stage, 'REST')],
    ['Ten times the capacity by gRPC', (stage) => measureFlood(stage, 'gRPC')],
  ],
  fair: [
    ['One key floods by REST, beside another key', (stage) => measureFairness(stage, 'REST')],
    ['One key floods by gRPC, beside another key', (stage) => measureFairness(stage, 'gRPC')],
  ],
  gone: [
    ['Callers that go away by REST', (stage) => measureDisconnect(stage, 'REST')],
    ['Callers that go away by gRPC', (stage) => measureDisconnect(stage, 'gRPC')],
  ],
  slow: [['Slow callers', measureSlowClients]],
};

const values = readOptions({
  seconds: number(5, 1),
  picture: file('samples/astronaut.jpg'),
  only: { type: 'string' },
  help: { type: 'boolean', default: false },
});
if (values.only !== undefined && !Object.hasOwn(parts, values.only))
  stop(`--only is "${values.only}", want one of: ${Object.keys(parts).join(', ')}`);
if (values.help) process.stdout.write(usage);
else await main();

async function main(): Promise<void> {
  const { only, picture } = values;
  const deaths: string[] = [];
  const stage = await openStage({ picture, floodMs: Number(values.seconds) * 1_000, log: (line) => deaths.push(line) });
  const startedAt = performance.now();
  const missed: string[] = [];
  const load = () => `load average ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`;
  try {
    for (const [part, measurements] of Object.entries(parts)) {
      if (only !== undefined && only !== part) continue;
      for (const [title, measure] of measurements) {
        const lines = await measure(stage);
        process.stdout.write(`${renderLines(`${title}; ${load()}`, lines)}\n`);
        missed.push(...lines.filter(({ isMet }) => isMet === false).map(({ what }) => what));
      }
    }
  } finally {
    await stage.close();
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  process.stdout.write(
    [
      ...deaths.map((line) => `process ended: ${line}`),
      `${seconds} s: ${missed.length} missed, ${deaths.length} crashes`,
      '',
    ].join('\n'),
  );
  process.exitCode = missed.length + deaths.length === 0 ? 0 : 1;
}
