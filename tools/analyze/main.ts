import { exitCodeOf, exitCodes } from '../../runtime/process/exit-codes.js';
import { printable } from '../printable.js';
import { assertApart, writeAnnotated, writeMissing } from './annotated-copies.js';
import type { Line } from './answer.js';
import { analyseAll } from './bulk-stream.js';
import { readCommandLine, type RunOptions, usage } from './command-line.js';
import { findPictures } from './find-pictures.js';
import { progressLine } from './progress.js';
import { openResultsFile } from './results-file.js';

/** Of the files that are skipped. */
const maxShown = 5;

const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => abort.abort(new Error('stopped; run it again to resume')));

try {
  const options = await readCommandLine(process.argv.slice(2), process.env);
  if (options === undefined) process.stdout.write(usage);
  else if ((await run(options)) > 0) process.exitCode = exitCodes.failed;
} catch (error) {
  warn(error instanceof Error ? error.message : String(error));
  process.exitCode = exitCodeOf(error);
}

function warn(message: string): void {
  process.stderr.write(`\nanalyze: ${printable(message)}\n`);
}

function leftOutText({ count, shown }: { count: number; shown: readonly string[] }): string {
  const files = count === 1 ? '1 file' : `${count} files`;
  const names = [...shown, ...(count > shown.length ? ['…'] : [])].join(', ');
  return `skipped ${files} without an image extension: ${names}; name a file on the command line to send it anyway`;
}

/** @returns how many pictures got no successful response */
async function run({ wanted, output, copies, ...options }: RunOptions): Promise<number> {
  const { signal } = abort;
  if (copies !== undefined) await assertApart(copies, wanted);
  let total = 0;
  const leftOut = { count: 0, shown: [] as string[] };
  const onLeftOut = (file: string) => {
    if ((leftOut.count += 1) <= maxShown) leftOut.shown.push(file);
  };
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- counted, not kept
  for await (const _file of findPictures(wanted, { onLeftOut, signal })) total += 1;
  if (leftOut.count > 0) warn(leftOutText(leftOut));
  if (total === 0) throw new Error(`no picture was found in ${wanted.join(', ')}`);

  const results = await openResultsFile(output, options.feature);
  if (copies !== undefined) await writeMissing(results.answered(), copies, warn, signal);
  const counts = { skipped: 0, answered: 0, failed: 0 };
  const startedAt = performance.now();
  const show = () => progressLine({ total, ...counts, elapsedMs: performance.now() - startedAt });
  const bar = process.stderr.isTTY
    ? setInterval(() => process.stderr.write(`\r${show()}\u001b[K`), 200)
    : undefined;

  const onLine = async (line: Line) => {
    if (line.error) counts.failed += 1;
    else {
      if (copies !== undefined) await writeAnnotated(line, copies, warn);
      counts.answered += 1;
    }
    await results.append(line);
  };
  async function* undone() {
    for await (const file of findPictures(wanted, { signal })) {
      if (!results.isDone(file)) yield file;
      else counts.skipped += 1;
    }
  }
  try {
    await analyseAll(undone(), onLine, {
      ...options,
      signal,
      onRetry: (reason) => warn(`${reason}; trying again`),
    });
  } finally {
    clearInterval(bar);
    await results.close();
    process.stderr.write(`${bar ? '\r' : ''}${show()}${bar ? '\u001b[K' : ''}\n`);
    if (counts.answered + counts.failed > 0) process.stderr.write(`wrote ${printable(output)}\n`);
  }
  return counts.failed;
}
