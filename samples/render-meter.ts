import sharp from 'sharp';
import { meterSvg, pictureSide } from './meter-face.js';
import { createMulberry32 } from './mulberry32.js';

// Renders samples/meter.jpg: `node dist/samples/render-meter.js`. The same bytes on every run with
// the same version of sharp.

const file = 'samples/meter.jpg';

const grain = Buffer.from(noise(pictureSide * pictureSide, 20261121));

await sharp(Buffer.from(meterSvg({ whole: '00473', fraction: '286' })))
  .composite([{ input: grain, raw: { width: pictureSide, height: pictureSide, channels: 1 }, blend: 'soft-light' }])
  .blur(0.8)
  .flatten()
  .jpeg({ quality: 88 })
  .toFile(file);

/** Grey noise around the middle like a sensor's. */
function noise(length: number, seed: number): Uint8Array {
  const next = createMulberry32(seed);
  return Uint8Array.from({ length }, () => 112 + (next() % 32));
}
