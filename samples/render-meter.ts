import sharp from 'sharp';
import { meterSvg, pictureSide } from './meter-face.js';

// Renders samples/meter.jpg: `node dist/samples/render-meter.js`. The same bytes on every run with
// the same version of sharp.

const file = 'samples/meter.jpg';

const grain = Buffer.from(noise(pictureSide * pictureSide, 20261121));

await sharp(Buffer.from(meterSvg({ whole: '00473', fraction: '286' })))
  .composite([
    {
      input: grain,
      raw: { width: pictureSide, height: pictureSide, channels: 1 },
      blend: 'soft-light',
    },
  ])
  .blur(0.8)
  .flatten()
  .jpeg({ quality: 88 })
  .toFile(file);

/** Grey noise around the middle like a sensor's, by a small generator with a seed (mulberry32). */
function noise(length: number, seed: number): Uint8Array {
  const values = new Uint8Array(length);
  let state = seed;
  for (let index = 0; index < length; index++) {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    values[index] = 112 + (((t ^ (t >>> 14)) >>> 0) % 32);
  }
  return values;
}
