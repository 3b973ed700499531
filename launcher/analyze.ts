import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { writeAnnotated, writeMissing } from './analyze/annotated-copies.js';
import type { Line } from './analyze/answer.js';
import { analyseAll } from './analyze/bulk-stream.js';
import { findPictures } from './analyze/find-pictures.js';
import { progressLine } from './analyze/progress.js';
import { openResultsFile } from './analyze/results-file.js';

const usage = `Analyses folders of pictures through the bulk streams of a running service.

  APIKEY=… npm run analyze -- photos/
  APIKEY=… npm run analyze -- --feature meters --annotate out/ 'photos/**/*.jpg'

Writes one JSON line a picture, those with an error too. Run again after an interruption it goes on:
pictures that have their line are skipped, errors that may pass are tried again (the last line counts).

  --feature NAME     faces (default) or meters
  --output FILE      default: faces.jsonl or meters.jsonl
  --annotate FOLDER  write annotated copies there, also of pictures that an earlier run answered
  --address HOST     host:port of the core; default: 127.0.0.1:50051
  --tls-ca FILE      PEM file of the authority that signed the core's certificate
  --company NAME     whose score is the threshold (faces)
  --min-score SCORE  threshold of this run (faces)
  --in-flight N      pictures on their way at once; default: 8
  --max-bytes N      larger files are not sent; default: 10485760
`;

const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => abort.abort(new Error('stopped; run it again to go on')));

try {
  await main();
} catch (error) {
  process.stderr.write(`\nanalyze: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      feature: { type: 'string', default: 'faces' },
      output: { type: 'string' },
      annotate: { type: 'string' },
      address: { type: 'string', default: '127.0.0.1:50051' },
      'tls-ca': { type: 'string' },
      company: { type: 'string', default: '' },
      'min-score': { type: 'string' },
      'in-flight': { type: 'string', default: '8' },
      'max-bytes': { type: 'string', default: String(10 * 2 ** 20) },
      help: { type: 'boolean' },
    },
  });
  if (values.help || positionals.length === 0) {
    process.stdout.write(usage);
    if (!values.help) process.exitCode = 2;
    return;
  }
  const feature = values.feature;
  if (feature !== 'faces' && feature !== 'meters')
    throw new Error(`--feature is "${feature}", want faces or meters`);
  const apiKey = process.env['APIKEY'];
  if (!apiKey) throw new Error('APIKEY is not set, want an API key of the service');
  const minScore = values['min-score'];

  let total = 0;
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- counted, not kept
  for await (const _file of findPictures(positionals)) total += 1;
  if (total === 0) throw new Error(`no picture was found in ${positionals.join(', ')}`);

  const output = values.output ?? `${feature}.jsonl`;
  const results = await openResultsFile(output, feature);
  if (values.annotate !== undefined) await writeMissing(results.answered(), values.annotate);
  const counts = { skipped: 0, answered: 0, failed: 0 };
  const startedAt = performance.now();
  const show = () => progressLine({ total, ...counts, elapsedMs: performance.now() - startedAt });
  const bar = process.stderr.isTTY
    ? setInterval(() => process.stderr.write(`\r${show()}\u001b[K`), 200)
    : undefined;

  const onLine = async (line: Line) => {
    if (line.error) counts.failed += 1;
    else {
      if (values.annotate !== undefined) await writeAnnotated(line, values.annotate);
      counts.answered += 1;
    }
    await results.append(line);
  };
  async function* undone() {
    for await (const file of findPictures(positionals)) {
      if (!results.isDone(file)) yield file;
      else counts.skipped += 1;
    }
  }
  try {
    await analyseAll(undone(), onLine, {
      address: values.address,
      authority: values['tls-ca'] === undefined ? undefined : await readFile(values['tls-ca']),
      apiKey,
      feature,
      company: values.company,
      minScore: minScore === undefined ? undefined : toNumber('min-score', minScore),
      landmarks: values.annotate !== undefined,
      inFlight: toNumber('in-flight', values['in-flight']),
      maxImageBytes: toNumber('max-bytes', values['max-bytes']),
      signal: abort.signal,
      onRetry: (reason) => process.stderr.write(`\nanalyze: ${reason}; trying again\n`),
    });
  } finally {
    clearInterval(bar);
    await results.close();
    process.stderr.write(`${bar ? '\r' : ''}${show()}${bar ? '\u001b[K' : ''}\nwrote ${output}\n`);
  }
  if (counts.failed > 0) process.exitCode = 1;
}

function toNumber(option: string, text: string): number {
  const value = Number(text);
  if (text !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new Error(`--${option} is "${text}", want a number`);
}
