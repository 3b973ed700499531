import sharp from 'sharp';
import { receivePicture } from '../core-server/image/inspect/receive-picture.js';
import { file, number, readOptions } from '../tests/helpers/command-line.js';
import { startAnalysisPool } from '../tests/helpers/service/start-analysis-pool.js';

// Prints what thousands of meter readings leave in memory, and what a reading costs by step.
// node dist/bench/meter-memory.js [--photos 5000] [--picture FILE] [--printed-every 20]

const values = readOptions({ photos: number(5000), picture: file('samples/meter.jpg'), 'printed-every': number(20) });
const total = Number(values.photos);
const printedEvery = Number(values['printed-every']);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

// One photo in many sizes and turns, so that no buffer is like the one before.
const photos: Buffer[] = [];
for (const side of [240, 480, 800, 1200, 2400, 4000]) {
  for (const turn of [0, 90, 180, 7]) {
    const turned = await sharp(values.picture).rotate(turn).toBuffer();
    photos.push(await sharp(turned).resize(side).jpeg({ quality: 88 }).toBuffer());
  }
}

const pool = await startAnalysisPool();

const limits = { maxBytes: 1e9, maxPixels: 1e9, maxSide: 1e5 };
const { signal } = new AbortController();
const sums: Record<string, number> = {};
const counts: Record<string, number> = {};
const resident: number[] = [];
const every = Math.max(1, Math.floor(total / 20));
const start = performance.now();
for (let i = 0; i < total; i++) {
  const image = receivePicture(Uint8Array.from(photos[i % photos.length] ?? []), limits);
  const printed = printedEvery > 0 && i % printedEvery === 0;
  const input = { image, checkBelow: 0.5, known: {}, printed, limits };
  const { timings } = await pool.run('readMeter', input, { signal });
  for (const [step, ms] of Object.entries(timings)) {
    sums[step] = (sums[step] ?? 0) + ms;
    counts[step] = (counts[step] ?? 0) + 1;
  }
  if ((i + 1) % every === 0) {
    const megabytes = process.memoryUsage().rss / 2 ** 20;
    resident.push(megabytes);
    const seconds = (performance.now() - start) / 1000;
    say(`${i + 1} photos, ${seconds.toFixed(0)} s, ${megabytes.toFixed(0)} MiB resident`);
  }
}
await pool.close(1000);

const meanOf = (list: readonly number[]): number =>
  list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length);
const [second, fourth] = [resident.slice(5, 10), resident.slice(15)].map(meanOf);
if (second && fourth) {
  say(
    `mean of the second quarter ${second.toFixed(0)} MiB, of the fourth ${fourth.toFixed(0)} MiB: ` +
      `${(((fourth - second) * 1024) / (total / 2)).toFixed(2)} KiB a photo`,
  );
}
const means = Object.entries(sums).map(([step, sum]) => `${step} ${(sum / (counts[step] ?? 1)).toFixed(1)}`);
say(`mean ms: ${means.join(', ')}`);
