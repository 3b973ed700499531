import { writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ReaderRules } from '../../../core-server/features/meter/reader-rules.js';
import { number, readOptions } from '../../helpers/command-line.js';
import { readCut } from './cut-photos.js';
import { judgeMixed, judgeSeries, readSeries, readSimulated, type SeriesRun } from './fused-runs.js';
import { meterCharts } from './meter-charts.js';
import { type MeterPhoto, readMeterEvaluation, readMeterSeries, readPicturesWithoutMeter } from './meter-data.js';
import { type Judged, reliability, type ReliabilityBin } from './meter-metrics.js';
import { percent, shareOf, summarise, type Summary, toTable } from './meter-summary.js';
import { readByPaddle } from './paddle-runs.js';
import { type MeterRun, networkMs, readServed } from './served-meter-reader.js';

// Prints the accuracy of the meter reader as it is served, in one thread, by source, of several photos read as one, and
// PaddleOCR's on every tenth of the same photos.
//
// integer: the amount before the point is right; full: all wheels and the point; ±1: the last wheel
// one step off at most. Readings that a label accepts count as right, refused photos as wrong. The
// fraction's length is the predicted one. In brackets 95 % intervals.

const help = `eval-meter [--known] [--fused N] [--wrong] [--charts FOLDER] [--manifest FILE]
  --known          tell the reader how many wheels and fraction wheels each meter has
  --fused N        simulate N photos of each meter, and read them as one; 0: none
  --wrong          list the photos whose integer part is wrong
  --charts FOLDER  write the charts of the model card there
  --manifest FILE  models to measure in place of the served ones`;

const wish = readOptions({
  help: { type: 'boolean', default: false },
  known: { type: 'boolean', default: false },
  fused: number(3, 0),
  wrong: { type: 'boolean', default: false },
  charts: { type: 'string' },
  manifest: { type: 'string' },
});
const say = (...lines: string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);

const photos = readMeterEvaluation();
const withoutMeter = readPicturesWithoutMeter();
if (wish.help) {
  say(help);
} else if (photos === undefined || withoutMeter === undefined) {
  say('skipped: no evaluation photos, set SHARED_DIR to the folder that has meter/ and face/');
} else {
  const manifestUrl = wish.manifest
    ? pathToFileURL(resolve(wish.manifest))
    : new URL('../../../../models/manifest.json', import.meta.url);
  const knownOf = ({ truth }: MeterPhoto) =>
    wish.known && truth ? { digits: truth.digits.length, decimals: truth.redDigits } : {};
  const runs = await readServed(photos, manifestUrl, knownOf);
  const sources = reportSources(runs);
  const bins = reportReliability(runs);
  reportWithoutMeter(await readServed(withoutMeter, manifestUrl));
  reportCut(await readCut(photos, manifestUrl));
  if (wish.fused !== '0') await reportFused(photos.filter(isOfWheels), Number(wish.fused), manifestUrl);
  await reportPaddle(runs.filter((_, index) => index % 10 === 0));
  if (wish.wrong) reportWrong(runs);
  if (wish.charts) {
    for (const [file, svg] of Object.entries(meterCharts(sources, bins))) {
      await writeFile(join(wish.charts, file), svg);
    }
  }
}

function reportSources(runs: readonly MeterRun[]): Record<string, Summary> {
  const timed = runs.map((run) => ({ ...run, ms: networkMs(run) }));
  const names = [...new Set(runs.map(({ photo }) => photo.source))];
  const rows = names.map((name): [string, Summary] => [
    name,
    summarise(timed.filter(({ photo }) => photo.source === name)),
  ]);
  rows.push(['all wheels', summarise(timed.filter(hasWheels))]);
  say(...toTable(rows), '');
  return Object.fromEntries(rows);
}

function reportReliability(runs: readonly MeterRun[]): ReliabilityBin[] {
  const bins = reliability(runs.filter(hasWheels));
  say('confidence given, share right, photos (wheels):');
  for (const { given, right, count } of bins) {
    say(`  ${given.toFixed(3)}  ${right.toFixed(3)}  ${count}`);
  }
  say('');
  return bins;
}

function reportWithoutMeter(runs: readonly MeterRun[]): void {
  const answered = runs.filter((run) => run.answered);
  const refused = shareOf(runs.length - answered.length, runs.length);
  const ok = answered.filter((run) => run.ok).length;
  say(`no meter: ${percent(refused)} % of ${runs.length} refused, ${ok} answered with status ok`);
  for (const run of answered) say(`  ${nameOf(run)}: ${readingOf(run)}`);
  say('');
}

/** Whether a photo that ends within its counter is taken for a whole one. */
function reportCut(runs: readonly MeterRun[]): void {
  const ok = runs.filter((run) => run.ok);
  const wrong = ok.filter(({ integer }) => !integer).length;
  say(`cut at a wheel: ${ok.length} of ${runs.length} answered with status ok, ${wrong} of these wrong`, '');
}

/** Whether several photos of one meter are read better than one: of the series there are, and of simulated ones. */
async function reportFused(wheels: readonly MeterPhoto[], shots: number, manifestUrl: URL): Promise<void> {
  const report = (name: string, { runs, rules }: { runs: readonly SeriesRun[]; rules: ReaderRules }) => {
    const { alone, surest, fused } = judgeSeries(runs, rules);
    const rows: [string, readonly Judged[]][] = [
      ['a photo alone', alone],
      ['the surest photo', surest],
      ['all as one', fused],
      ['one of another meter', judgeMixed(runs, rules)],
    ];
    say(`${name}: photos, integer %, ok right %, ok kept %`);
    for (const [row, judged] of rows) {
      const { integer, rightOfOk, ok } = summarise(judged.map((run) => ({ ...run, ms: 0 })));
      say(
        `  ${[row.padEnd(20), String(judged.length).padStart(5), ...[integer, rightOfOk, ok].map(percent)].join('  ')}`,
      );
    }
    say('');
  };
  report('photos of one meter', await readSeries(readMeterSeries() ?? [], manifestUrl));
  report(`${shots} simulated photos of one meter`, await readSimulated(wheels, shots, manifestUrl));
}

async function reportPaddle(sample: readonly MeterRun[]): Promise<void> {
  const ours = summarise(sample.map((run) => ({ ...run, ms: networkMs(run) })));
  const theirs = summarise(await readByPaddle(sample.map(({ photo }) => photo)));
  say(
    'every tenth of these photos:',
    ...toTable([
      ['ours', ours],
      ['PaddleOCR', theirs],
    ]),
    '',
  );
}

function reportWrong(runs: readonly MeterRun[]): void {
  for (const run of runs.filter(({ integer }) => !integer)) {
    const { truth } = run.photo;
    say(`${nameOf(run)}: ${truth?.digits}, ${truth?.redDigits} red; ${readingOf(run)}`);
  }
}

function nameOf({ photo }: MeterRun): string {
  return basename(photo.path);
}

function readingOf({ output: { reading } }: MeterRun): string {
  if (reading === null) return 'refused';
  return [reading.value, reading.confidence.toFixed(3), reading.status, ...reading.warnings].join(' ');
}

function hasWheels({ photo }: MeterRun): boolean {
  return isOfWheels(photo);
}

function isOfWheels({ source }: MeterPhoto): boolean {
  return source !== 'displays';
}
