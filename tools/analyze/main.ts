import { analyseAll } from './bulk-stream.js';
import { readCommandLine, type RunOptions, usage } from './command-line.js';
import { assertApart, hasRedacted, writeAnnotated, writeMissing, writeRedacted } from './copies.js';
import { assertTable, writeCsv } from './csv.js';
import type { Line, Redacted } from './features.js';
import { createSummary, progressLine } from './progress.js';
import { openResultsFile } from './results-file.js';
import { runCommand, warn } from './run-command.js';
import { survey } from './survey.js';

await runCommand(async (signal) => {
  const options = await readCommandLine(process.argv.slice(2), process.env);
  if (options !== undefined) return run(options, signal);
  process.stdout.write(usage);
  return true;
});

/** @returns whether every picture was there and got a successful response */
async function run({ wanted, output, csv, copies, ...options }: RunOptions, signal: AbortSignal): Promise<boolean> {
  if (copies !== undefined) await assertApart(copies);
  if (csv !== undefined) await assertTable(csv);
  const { all, missing, photosOf } = await survey(wanted, options.feature === 'fused', warn, signal);

  const isKept = (file: string) => copies?.option !== 'redact' || hasRedacted(file, copies);
  const results = await openResultsFile(output, options.feature, isKept);
  if (copies?.option === 'annotate') await writeMissing(results.lines(), copies, warn, signal);
  const undone = all.filter((file) => !results.isDone(file));
  const counts = { skipped: all.length - undone.length, answered: 0, failed: 0 };
  const summary = createSummary();
  const startedAt = performance.now();
  const show = () => progressLine({ total: all.length, ...counts, elapsedMs: performance.now() - startedAt });
  const bar = process.stderr.isTTY ? setInterval(() => process.stderr.write(`\r${show()}\u001b[K`), 200) : undefined;

  const onLine = async (line: Line, redacted?: Redacted) => {
    if (copies && redacted) await writeRedacted(line.file, redacted, copies);
    summary.add(line);
    if (line.error) counts.failed += 1;
    else {
      if (copies?.option === 'annotate') await writeAnnotated(line, copies, warn);
      counts.answered += 1;
    }
    await results.append(line);
  };
  try {
    await analyseAll(undone, onLine, {
      ...options,
      photosOf,
      signal,
      onRetry: (reason) => warn(`${reason}; trying again`),
    });
  } finally {
    clearInterval(bar);
    await results.close();
    process.stderr.write(`${bar ? '\r' : ''}${show()}${bar ? '\u001b[K' : ''}\n`);
    if (counts.answered + counts.failed > 0) warn(`${summary.text()}; wrote ${output}`);
  }
  if (csv !== undefined) {
    await writeCsv(csv, options.feature, results.lines());
    warn(`wrote ${csv}`);
  }
  return counts.failed + missing === 0;
}
