import { constants, createReadStream, createWriteStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { ConfigError } from '../../runtime/errors/config-error.js';
import type { FeatureName, Line } from './features.js';

const box = ['xmin', 'ymin', 'xmax', 'ymax'];
const reading = ['status', 'value', 'unit', 'confidence', 'meter_number', 'warnings'];
const columns: Readonly<Record<FeatureName, readonly string[]>> = {
  faces: ['file', 'detection_score', ...box, 'reason', 'message'],
  meters: ['file', ...reading, ...box, 'reason', 'message'],
  fused: ['file', ...reading, 'reason', 'message'],
  redactions: ['file', 'faces', 'reason', 'message'],
};

/** How every table starts. */
const tableStart = 'file,';

/** @throws ConfigError if the file cannot be written, or holds anything but a table, such as the results or a picture */
export async function assertTable(file: string): Promise<void> {
  const stats = await stat(file).catch(() => undefined);
  const isWritable = access(stats ? file : `${path.dirname(file)}/.`, constants.W_OK).then(
    () => !stats?.isDirectory(),
    () => false,
  );
  if (file === '' || file.endsWith('/') || !(await isWritable))
    throw new ConfigError(`--csv is "${file}", want a file in a folder that may be written to`);
  if (!stats?.isFile()) return;
  const start = await text(createReadStream(file, { end: tableStart.length - 1 }));
  if (!tableStart.startsWith(start))
    throw new ConfigError(`--csv is "${file}", which is no table of this command, want a new file or such a table`);
}

/**
 * Writes a table (RFC 4180): a row per reading or face, and one for a picture without. Values are those of REST.
 * @throws ConfigError as {@link assertTable}; it remains unchanged
 */
export async function writeCsv(file: string, feature: FeatureName, lines: AsyncIterable<Line>): Promise<void> {
  await assertTable(file);
  await pipeline(rowTexts(feature, lines), createWriteStream(file));
}

async function* rowTexts(feature: FeatureName, lines: AsyncIterable<Line>): AsyncGenerator<string> {
  yield `${columns[feature].join()}\r\n`;
  for await (const line of lines)
    for (const row of rowsOf(line)) yield `${columns[feature].map((column) => toCell(row[column])).join()}\r\n`;
}

type Row = Readonly<Record<string, unknown>>;

function rowsOf({ result, error, ...line }: Line): Row[] {
  const found = Array.isArray(result) && result.length > 0 ? (result as Row[]) : [{}];
  return found.map((one): Row => {
    const row = { ...line, file: toPlainName(line.file), ...error, ...one };
    return { ...row, ...(row as { bbox?: object }).bbox };
  });
}

/** Spreadsheets take `=a.jpg` and the like for a formula; `./=a.jpg` is the same file, and only a text. */
function toPlainName(file: string): string {
  return file.replace(/^[^\p{L}\p{N}_./]/u, './$&');
}

/** Quoted also for the spreadsheets that separate cells by semicolons or tabs. */
function toCell(value: unknown): string {
  const text = [value].flat().join(' ');
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
