import sharp from 'sharp';
import type { BoundingBox, Point } from '../../sdk/typescript/rest.js';
import { drawText, textWidth } from './stroke-font.js';

/** What to draw over a picture: a box, dots, and lines of text beside the box. */
export interface Annotation {
  readonly box: BoundingBox;
  /** Its corners, where it is drawn tilted. */
  readonly corners?: readonly Point[] | undefined;
  readonly colour: string;
  readonly dots?: readonly Point[];
  readonly text?: readonly string[];
  /** Where to put the text; above by default. It is moved inside at the edge of the picture. */
  readonly side?: 'above' | 'below' | 'right';
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** As in the service: pictures with minor damage are drawn too. */
const failOn = 'truncated';

// The annotated picture is for viewing: a thumbnail is enlarged until text is legible on it, and a
// large photo is scaled down.
const minSide = 800;
const maxSide = 1600;
const lineWidth = 3;
const minTextHeight = 10;
const maxTextHeight = 18;

/**
 * Draws annotations over a picture. Text whose place is already taken is left out; the first one wins.
 *
 * @param picture anything the service accepts, including pictures with minor damage
 * @returns a JPEG whose longer side has 800 to 1600 pixels.
 */
export async function annotate(picture: Uint8Array, annotations: readonly Annotation[]): Promise<Buffer> {
  const { autoOrient: upright } = await sharp(picture, { failOn }).metadata();
  const longer = Math.max(upright.width, upright.height);
  const scale = Math.min(Math.max(longer, minSide), maxSide) / longer;
  const { data, info } = await sharp(picture, { failOn })
    .autoOrient()
    .resize({ width: Math.max(1, Math.round(upright.width * scale)) })
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return await sharp(data, { raw: { width, height, channels } })
    .composite([{ input: Buffer.from(overlaySvg({ width, height }, annotations, scale)) }])
    .jpeg({ quality: 88, mozjpeg: true })
    .toBuffer();
}

function overlaySvg(size: Size, annotations: readonly Annotation[], scale: number): string {
  const taken: BoundingBox[] = [];
  const shapes = annotations.map((annotation) => drawAnnotation(annotation, scale));
  const labels = annotations.map((annotation) => {
    const label = placeLabel(annotation, scale, size);
    if (!label || taken.some((other) => overlap(label.box, other))) return '';
    taken.push(label.box);
    return label.svg;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">${shapes.join('')}${labels.join('')}</svg>`;
}

function drawAnnotation({ box, corners, colour, dots = [] }: Annotation, scale: number): string {
  const { xmin, xmax } = scaled(box, scale);
  const outline = corners ?? [
    { x: box.xmin, y: box.ymin },
    { x: box.xmax, y: box.ymin },
    { x: box.xmax, y: box.ymax },
    { x: box.xmin, y: box.ymax },
  ];
  const points = outline.map(({ x, y }) => `${x * scale},${y * scale}`).join(' ');
  const radius = Math.min(5, (xmax - xmin) / 30);
  const circles = dots.map(
    ({ x, y }) =>
      `<circle cx="${x * scale}" cy="${y * scale}" r="${radius}" fill="${colour}" stroke="#fff" stroke-width="${radius / 3}"/>`,
  );
  return `<polygon points="${points}" fill="none" stroke="${colour}" stroke-width="${lineWidth}"/>${circles.join('')}`;
}

/** White text on a plate of the annotation's colour, beside its box and inside the picture. */
function placeLabel({ box, colour, text, side = 'above' }: Annotation, scale: number, size: Size) {
  if (!text) return undefined;
  const { xmin, ymin, xmax, ymax } = scaled(box, scale);
  const height = Math.min(Math.max((xmax - xmin) / 5, minTextHeight), maxTextHeight);
  const padding = height * 0.5;
  const plate = {
    width: Math.max(...text.map((line) => textWidth(line, height))) + 2 * padding,
    height: text.length * (height + padding) + padding,
  };
  const wanted = {
    above: { x: xmin - lineWidth / 2, y: ymin - plate.height },
    below: { x: xmin - lineWidth / 2, y: ymax },
    right: { x: xmax, y: (ymin + ymax - plate.height) / 2 },
  }[side];
  const x = Math.max(0, Math.min(wanted.x, size.width - plate.width));
  const y = Math.max(0, Math.min(wanted.y, size.height - plate.height));
  const lines = text.map((line, index) =>
    drawText(line, { x: x + padding, y: y + padding + index * (height + padding), height, colour: '#fff' }),
  );
  return {
    box: { xmin: x, ymin: y, xmax: x + plate.width, ymax: y + plate.height },
    svg: `<rect x="${x}" y="${y}" width="${plate.width}" height="${plate.height}" fill="${colour}"/>${lines.join('')}`,
  };
}

function scaled({ xmin, ymin, xmax, ymax }: BoundingBox, scale: number): BoundingBox {
  return { xmin: xmin * scale, ymin: ymin * scale, xmax: xmax * scale, ymax: ymax * scale };
}

function overlap(a: BoundingBox, b: BoundingBox): boolean {
  return a.xmin < b.xmax && b.xmin < a.xmax && a.ymin < b.ymax && b.ymin < a.ymax;
}
