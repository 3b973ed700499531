import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { MeterPhoto } from './meter-data.js';
import { readServed } from './served-meter-reader.js';

/** How many wheels are cut off at the left, or at the right if negative. Of a half, the other half stays in the picture. */
const cuts = [1, 2, 2.25, 2.5, 2.75, 3, -0.75, -1, -1.25, -1.5, -2, -4];

/** A counter that leans more than this is left out: the cut would not be across it. */
const mostLeaning = Math.tan(Math.PI / 15);

/** Reads photos that end within their counter. All that is left reads as a counter, and no answer should be `ok`. */
export async function readCut(photos: readonly MeterPhoto[], manifestUrl: URL) {
  const level = photos.filter(isLevel);
  const runs = [];
  for (const wheels of cuts) {
    const cut = (photo: MeterPhoto) => cutPhoto(photo, wheels);
    runs.push(...(await readServed(level, manifestUrl, undefined, cut)));
  }
  return runs;
}

function isLevel({ counter }: MeterPhoto): boolean {
  const [a, b] = counter ?? [];
  return a !== undefined && b !== undefined && Math.abs(b[1] - a[1]) < mostLeaning * (b[0] - a[0]);
}

async function cutPhoto({ path, counter, truth }: MeterPhoto, wheels: number): Promise<Buffer> {
  const picture = sharp(await readFile(path)).removeAlpha();
  const { width, height } = await picture.metadata();
  const across = (counter ?? []).map(([x]) => x);
  const [from, to] = [Math.min(...across), Math.max(...across)];
  const off = ((to - from) / (truth?.digits.length ?? 1)) * wheels;
  const left = wheels > 0 ? Math.round(from + off) : 0;
  const right = wheels > 0 ? width : Math.round(to + off);
  return picture
    .extract({ left, top: 0, width: right - left, height })
    .jpeg({ quality: 90 })
    .toBuffer();
}
