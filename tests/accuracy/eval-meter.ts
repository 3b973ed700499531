import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { readMeterEvaluation, readMeterHeldOut, readPicturesWithoutMeter } from './meter-data.js';
import { calibrationError, wilson } from './meter-metrics.js';
import { readServed, type MeterRun } from './served-meter-reader.js';

// Prints the accuracy of the meter reader as it is served, in one thread, by source.
// node dist/tests/accuracy/eval-meter.js [--held-out] [--ocr-fallback] [--manifest FILE] [--wrong]
//
// integer: the amount before the point is right; full: all wheels and the point; ±1: the last wheel
// one step off at most. Readings that a label accepts count as right, refused photos as wrong.

const { values: wish } = parseArgs({
  options: {
    'held-out': { type: 'boolean', default: false },
    'ocr-fallback': { type: 'boolean', default: false },
    manifest: { type: 'string' },
    wrong: { type: 'boolean', default: false },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const photos = wish['held-out'] ? readMeterHeldOut() : readMeterEvaluation();
const withoutMeter = readPicturesWithoutMeter();
if (photos === undefined || withoutMeter === undefined) {
  say('skipped: no evaluation photos, set SHARED_DIR to the folder that has meter/ and face/');
} else {
  const options = {
    ocrFallback: wish['ocr-fallback'],
    ...(wish.manifest && { manifestUrl: pathToFileURL(resolve(wish.manifest)) }),
  };
  report(await readServed(photos, options), await readServed(withoutMeter, options));
}

function report(runs: MeterRun[], negatives: MeterRun[]): void {
  const sources = [...new Set(runs.map(({ photo }) => photo.source))];
  const wheels = runs.filter(({ photo }) => photo.source !== 'displays');
  say(
    ['source'.padEnd(12), 'photos', ...['integer %', 'full %', 'full ±1 %', 'refused %'].map(wide)]
      .concat(['ok %'.padStart(6), 'right of ok %'.padEnd(18), '  ECE', 'ms (median)'])
      .join('  '),
  );
  for (const source of sources) sayRow(source, bySource(runs, source));
  sayRow('all wheels', wheels);

  const refused = negatives.filter(({ answered }) => !answered).length;
  const ok = negatives.filter((run) => run.ok).length;
  say(`no meter: ${refused} of ${negatives.length} refused, ${ok} answered with status ok`);
  for (const step of new Set(runs.flatMap(({ output }) => Object.keys(output.timings)))) {
    const times = runs.map(({ output }) => output.timings[step]).filter((ms) => ms !== undefined);
    say(`ms a photo, ${step}: median ${median(times).toFixed(1)}, ${times.length} photos`);
  }
  if (!wish.wrong) return;
  for (const { photo, output } of runs.filter(({ integer }) => !integer)) {
    const { reading } = output;
    const read = reading ? `${reading.value} at ${reading.confidence.toFixed(3)}` : 'refused';
    say(`${basename(photo.path)}: ${photo.truth?.digits}, ${photo.truth?.redDigits} red; ${read}`);
  }
}

function bySource(runs: MeterRun[], source: string): MeterRun[] {
  return runs.filter(({ photo }) => photo.source === source);
}

function sayRow(name: string, runs: MeterRun[]): void {
  const of = (list: MeterRun[], is: (run: MeterRun) => boolean): string =>
    percent(list.filter(is).length, list.length);
  const ok = runs.filter((run) => run.ok);
  const total = runs.map(({ output }) => Object.values(output.timings).reduce((a, b) => a + b, 0));
  say(
    [
      name.padEnd(12),
      String(runs.length).padStart(6),
      of(runs, (run) => run.integer),
      of(runs, (run) => run.full),
      of(runs, (run) => run.near),
      of(runs, (run) => !run.answered),
      ((100 * ok.length) / runs.length).toFixed(1).padStart(6),
      of(ok, (run) => run.integer),
      calibrationError(runs).toFixed(3),
      median(total).toFixed(1).padStart(6),
    ].join('  '),
  );
}

/** `98.4 (94.3 to 99.6)`: a share and its 95 % interval. */
function percent(count: number, total: number): string {
  if (total === 0) return wide('-');
  const { low, high } = wilson(count, total);
  const [share, from, to] = [count / total, low, high].map((x) => (100 * x).toFixed(1));
  return wide(`${share} (${from} to ${to})`);
}

function wide(text: string): string {
  return text.padEnd(18);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
