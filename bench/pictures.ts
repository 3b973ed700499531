import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { createMulberry32 } from './measure/mulberry32.js';

/** The picture sets, in the order of the report. */
const setNames = ['vga', '12mp', 'crowd', 'meter'] as const;
export type SetName = (typeof setNames)[number];

/** JPEG files of one set; a request takes the next one. */
export interface PictureSet {
  readonly name: SetName;
  /** For the report. */
  readonly title: string;
  readonly files: readonly string[];
}

const variants = 3;

/**
 * Makes all pictures from those in `samples` and writes them into a folder: the same on every run, but for their noise.
 * Nothing of `../shared` is used, so that the figures can be had anywhere.
 */
export async function makePictures(folder: string, samples: string): Promise<PictureSet[]> {
  const portrait = path.join(samples, 'astronaut.jpg');
  const meter = path.join(samples, 'meter.jpg');
  await mkdir(folder, { recursive: true });
  const makers: Record<SetName, (variant: number) => Promise<Buffer>> = {
    vga: (variant) => makePortrait(portrait, 640, 480, variant, plain),
    '12mp': (variant) => makePortrait(portrait, 4000, 3000, variant, phone),
    crowd: (variant) => makeCrowd(portrait, variant),
    meter: (variant) => makeMeter(meter, variant),
  };
  const titles: Record<SetName, string> = {
    vga: 'portrait, 640 x 480',
    '12mp': 'phone photo, 4000 x 3000',
    crowd: 'crowd of 48, 1920 x 1280',
    meter: 'water meter, 1600 x 1200',
  };
  const sets: PictureSet[] = [];
  for (const name of setNames) {
    const files: string[] = [];
    for (let variant = 0; variant < variants; variant += 1) {
      const file = path.join(folder, `${name}-${variant}.jpg`);
      await writeFile(file, await makers[name](variant));
      files.push(file);
    }
    sets.push({ name, title: titles[name], files });
  }
  return sets;
}

/** One face, cut a little differently each time; never stretched. */
async function makePortrait(
  portrait: string,
  width: number,
  height: number,
  variant: number,
  look: Look,
): Promise<Buffer> {
  const side = 512;
  const cut = { left: 6 * variant, top: 4 * variant, width: side - 24, height: 366 };
  const picture = sharp(portrait).extract(cut).resize(width, height, { fit: 'cover', position: 'top' });
  return photograph(picture, width, height, look);
}

/** Faces of 44 to 110 pixels in rows, each turned and placed a little by chance. */
async function makeCrowd(portrait: string, variant: number): Promise<Buffer> {
  const [width, height, columns, rows] = [1920, 1280, 8, 6];
  const random = createMulberry32(variant + 1);
  const head = await sharp(portrait).extract({ left: 136, top: 0, width: 176, height: 230 }).toBuffer();
  const heads = [];
  for (let at = 0; at < columns * rows; at += 1) {
    const [column, row] = [at % columns, Math.floor(at / columns)];
    const faceWidth = Math.round(70 + 24 * row * random() + 20 * random());
    const input = await sharp(head)
      .resize({ width: faceWidth })
      .modulate({ brightness: 0.8 + 0.4 * random() })
      .toBuffer();
    heads.push({
      input,
      left: Math.round((column + 0.1 + 0.2 * random()) * (width / columns)),
      top: Math.min(Math.round(row * (height / rows) + 10 * random()), height - 2 * faceWidth),
    });
  }
  const background = { width, height, channels: 3, background: '#6b7078' } as const;
  const people = await sharp({ create: background }).composite(heads).png().toBuffer();
  return photograph(sharp(people), width, height);
}

/** The meter in another place each time, in the middle of a wall. */
async function makeMeter(sample: string, variant: number): Promise<Buffer> {
  const [width, height] = [1600, 1200];
  const meter = await sharp(sample).resize(1040).toBuffer();
  const background = { width, height, channels: 3, background: '#57534c' } as const;
  const wall = await sharp({ create: background })
    .composite([{ input: meter, left: 240 + 60 * variant, top: 80 }])
    .png()
    .toBuffer();
  return photograph(sharp(wall), width, height);
}

/** How a picture comes out of a camera. */
interface Look {
  /** Standard deviation of the noise before it is blended in. */
  readonly noise: number;
  /** Of the JPEG. */
  readonly quality: number;
}

const plain: Look = { noise: 10, quality: 88 };
/** Enough for 3.5 MB at 12 megapixels, as phones write. */
const phone: Look = { noise: 25, quality: 92 };

/** Adds a sensor's noise, so that the file has as many bytes as a photo has, and compresses. */
export async function photograph(picture: Sharp, width: number, height: number, look: Look = plain): Promise<Buffer> {
  const noise = await sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#808080',
      noise: { type: 'gaussian', mean: 128, sigma: look.noise },
    },
  })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return picture
    .composite([{ input: noise, blend: 'soft-light' }])
    .jpeg({ quality: look.quality })
    .toBuffer();
}
