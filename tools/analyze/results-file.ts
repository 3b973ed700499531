import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { FeatureName, Line } from './answer.js';
import { isPermanent } from './refusals.js';

/** A file with one JSON line per picture, from which an interrupted run resumes. */
export interface ResultsFile {
  /** Whether the picture succeeded, or has an error that would recur. */
  isDone(file: string): boolean;
  append(line: Line): Promise<void>;
  /** The existing lines of successful pictures. */
  answered(): AsyncGenerator<Line>;
  close(): Promise<void>;
}

/**
 * Opens or creates the file. If an interrupted run left an incomplete last line, it is cut off, so that
 * every line is complete.
 */
export async function openResultsFile(name: string, feature: FeatureName): Promise<ResultsFile> {
  const handle = await open(name, 'a+');
  await cutTornLine(handle);
  const done = await readDone(name, feature);
  // One write per line, one after the other, so that lines never mix.
  let last: Promise<unknown> = Promise.resolve();
  return {
    isDone: (file) => done.has(file),
    append(line) {
      const written = last.then(() => handle.appendFile(`${JSON.stringify(line)}\n`));
      last = written.catch(() => {});
      return written;
    },
    async *answered() {
      for await (const line of readLines(name))
        if (line.feature === feature && line.error === undefined) yield line;
    },
    async close() {
      await last;
      await handle.sync();
      await handle.close();
    },
  };
}

async function cutTornLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  const chunk = Buffer.alloc(64 * 1024);
  let end = size;
  while (end > 0) {
    const start = Math.max(0, end - chunk.length);
    const { bytesRead } = await handle.read(chunk, 0, end - start, start);
    const newline = chunk.subarray(0, bytesRead).lastIndexOf('\n');
    if (newline >= 0) {
      end = start + newline + 1;
      break;
    }
    end = start;
  }
  if (end < size) await handle.truncate(end);
}

async function readDone(name: string, feature: FeatureName): Promise<Set<string>> {
  const done = new Set<string>();
  for await (const line of readLines(name)) {
    if (line.feature !== feature) continue;
    if (line.error === undefined || isPermanent(line.error.reason)) done.add(line.file);
    else done.delete(line.file);
  }
  return done;
}

async function* readLines(name: string): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of createInterface({
    input: createReadStream(name),
    crlfDelay: Infinity,
  })) {
    number += 1;
    let line: Line;
    try {
      line = JSON.parse(text) as Line;
    } catch {
      throw new Error(`${name} has no JSON in line ${number}, want an output of this command`);
    }
    yield line;
  }
}
