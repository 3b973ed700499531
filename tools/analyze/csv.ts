import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { FeatureName, Line } from './features.js';

const box = ['xmin', 'ymin', 'xmax', 'ymax'];
const reading = ['status', 'value', 'unit', 'confidence', 'meter_number', 'warnings'];
const columns: Readonly<Record<FeatureName, readonly string[]>> = {
  faces: ['file', 'detection_score', ...box, 'reason', 'message'],
  meters: ['file', ...reading, ...box, 'reason', 'message'],
  fused: ['file', ...reading, 'reason', 'message'],
  redactions: ['file', 'faces', 'reason', 'message'],
};

/** Writes a table (RFC 4180): a row per reading or face, and one for a picture without. Values are those of REST. */
export async function writeCsv(file: string, feature: FeatureName, lines: AsyncIterable<Line>): Promise<void> {
  const output = createWriteStream(file);
  const closed = once(output, 'close');
  output.write(`${columns[feature].join()}\r\n`);
  for await (const line of lines)
    for (const row of rowsOf(line)) output.write(`${columns[feature].map((column) => toCell(row[column])).join()}\r\n`);
  output.end();
  await closed;
}

type Row = Readonly<Record<string, unknown>>;

function rowsOf({ result, error, ...line }: Line): Row[] {
  const found = Array.isArray(result) && result.length > 0 ? (result as Row[]) : [{}];
  return found.map((one): Row => {
    const row = { ...line, ...error, ...one };
    return { ...row, ...(row as { bbox?: object }).bbox };
  });
}

function toCell(value: unknown): string {
  const text = [value].flat().join(' ');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
