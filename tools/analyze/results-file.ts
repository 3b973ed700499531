import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { ConfigError } from '../../runtime/errors/config-error.js';
import { type FeatureName, features, type Line } from './features.js';

/** Caused by the picture alone: the next run would get the same. All others may pass, or be fixed, as by a setting. */
const permanent: ReadonlySet<string> = new Set(['NO_READING', 'EMPTY_IMAGE', 'CORRUPT_IMAGE']);

/** How every line starts. */
const lineStart = '{"file":"';

/**
 * Opens or creates a file with one JSON line per picture, from which an interrupted run resumes. A last line that such
 * a run left incomplete is cut off, so that every line is complete.
 * @param isKept whether there still is what a successful line stands for
 * @throws ConfigError if it is no file, such as a pipe, cannot be opened, or contains anything else, such as a picture; it
 *   remains unchanged
 */
export async function openResultsFile(
  name: string,
  feature: FeatureName,
  isKept: (file: string) => boolean = () => true,
) {
  const wish = `--output is "${name}", want a file, which is read to resume`;
  const handle = await open(name, 'a+').catch(({ message }: Error) => {
    throw new ConfigError(`${wish}; ${message}`);
  });
  let done: Set<string>;
  let bytes: number;
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new ConfigError(wish);
    const found = await readDone(name, feature, isKept);
    done = found.done;
    bytes = Math.min(found.bytes, stat.size);
    if (bytes < stat.size) await handle.truncate(bytes);
  } catch (error) {
    await handle.close();
    throw error;
  }
  // One write per line, one after the other, so that lines never mix.
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** Whether the picture succeeded, or has an error that would recur. */
    isDone: (file: string): boolean => done.has(file),
    /** @throws ConfigError if another has written to the file since */
    append(line: Line): Promise<void> {
      const text = Buffer.from(`${JSON.stringify(line)}\n`);
      const written = last.then(async () => {
        // Two runs would send each picture twice and write two lines of it.
        if ((await handle.stat()).size !== bytes)
          throw new ConfigError(`--output is "${name}", which another run writes too, want a file of its own`);
        await handle.appendFile(text);
        bytes += text.length;
      });
      last = written.catch(() => {});
      return written;
    },
    /** What is known of each picture: its last line so far. */
    async *lines(): AsyncGenerator<Line> {
      const last = new Map<string, number>();
      for await (const { line, number } of readLines(name)) if (line.feature === feature) last.set(line.file, number);
      for await (const { line, number } of readLines(name)) if (last.get(line.file) === number) yield line;
    },
    async close(): Promise<void> {
      await last;
      await handle.sync();
      await handle.close();
    },
  };
}

/** Which pictures need not be sent again, and the length of all complete lines. */
async function readDone(name: string, feature: FeatureName, isKept: (file: string) => boolean) {
  const done = new Set<string>();
  let bytes = 0;
  for await (const { line, text } of readLines(name)) {
    bytes += Buffer.byteLength(text) + 1;
    if (line.feature !== feature) continue;
    if (line.error ? permanent.has(line.error.reason) : isKept(line.file)) done.add(line.file);
    else done.delete(line.file);
  }
  return { done, bytes };
}

/** The complete lines. Not with readline, which also splits at U+2028: JSON contains it unescaped. */
async function* readLines(name: string): AsyncGenerator<{ line: Line; text: string; number: number }> {
  let number = 1;
  let rest = '';
  const mistake = () =>
    new ConfigError(
      `--output is "${name}", which has no result in line ${number}, want a new file or an output of this command`,
    );
  for await (const chunk of createReadStream(name, 'utf8') as AsyncIterable<string>) {
    const texts = `${rest}${chunk}`.split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) {
      const line = parse(text);
      if (!isLine(line)) throw mistake();
      yield { line, text, number };
      number += 1;
    }
    if (!rest.startsWith(lineStart.slice(0, rest.length))) throw mistake();
  }
  // Another program's file may lack the last newline, but its line is complete.
  const last = parse(rest);
  if (last !== undefined && !isLine(last)) throw mistake();
}

/** Undefined if it is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isLine(value: unknown): value is Line {
  const { file, feature } = (value ?? {}) as Partial<Line>;
  return typeof file === 'string' && Object.hasOwn(features, String(feature));
}
