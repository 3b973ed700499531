import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { validateCrop } from '../core-server/features/face/validate.js';
import { receivePicture } from '../core-server/image/inspect/receive-picture.js';
import { file, number, readOptions } from '../tests/helpers/command-line.js';
import { startAnalysisPool } from '../tests/helpers/service/start-analysis-pool.js';
import { photograph } from './pictures.js';

// Prints what a face detection costs by step, and what the pool adds.
// node dist/bench/face-steps.js [--picture FILE] [--repeats 30] [--workers 2]

const values = readOptions({ picture: file('samples/astronaut.jpg'), repeats: number(30), workers: number(2) });
// From memory: the workers block every other loader in the whole process.
const picture = await readFile(values.picture);
const repeats = Number(values.repeats);
const size = Number(values.workers);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const crop = validateCrop({});
const limits = { maxBytes: 1e9, maxPixels: 1e9, maxSide: 1e5 };

const startedAt = performance.now();
const pool = await startAnalysisPool(size);
say(`${size} workers ready after ${(performance.now() - startedAt).toFixed(0)} ms`);

const detect = (bytes: Uint8Array) =>
  pool.run(
    'detectFaces',
    { image: receivePicture(bytes, limits), minScore: 0.5, maxFaces: 1000, crop, landmarks: false, limits },
    { signal: new AbortController().signal },
  );

for (const [name, width, height] of [
  ['640 x 480', 640, 480],
  ['1920 x 1080', 1920, 1080],
  ['12 megapixels', 4000, 3000],
] as const) {
  // Cover, not stretch: a face keeps its shape.
  const resized = sharp(picture).resize(width, height, { fit: 'cover', position: 'top' });
  const image = await photograph(resized, width, height, { noise: 12, quality: 90 });
  await detect(image);
  const sums: Record<string, number> = {};
  let faces = 0;
  for (let i = 0; i < repeats; i += 1) {
    const before = performance.now();
    const output = await detect(image);
    const all = performance.now() - before;
    const steps = Object.values(output.timings).reduce((sum, ms) => sum + ms, 0);
    faces = output.faces.length;
    for (const [step, ms] of Object.entries({ ...output.timings, 'pool and rest': all - steps, all })) {
      sums[step] = (sums[step] ?? 0) + ms;
    }
  }
  const means = Object.entries(sums).map(([step, ms]) => `${step} ${(ms / repeats).toFixed(1)}`);
  say(`${name}, ${(image.length / 1e6).toFixed(2)} MB, ${faces} face(s), ms: ${means.join(', ')}`);
}
await pool.close(1000);
