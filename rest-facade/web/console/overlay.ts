import type { BoundingBox, DetectedFace, MeterAnswer, Point } from '../../../sdk/typescript/rest-answers.js';
import { byId, floor, svg, toPercent } from './dom.js';

const picture = byId('picture', HTMLImageElement);
const overlay = byId('overlay', SVGSVGElement);

/** Widths and text are parts of the picture's longer side, so that they look alike on every picture. */
const lineShare = 0.004;
const textShare = { most: 0.026, least: 0.016 };

/**
 * Draws faces: a box with its score, and the landmarks where they are there.
 * @param told the size of the upright picture, where the service says it
 */
export function drawFaces(faces: readonly DetectedFace[], told: Size | undefined): void {
  const size = prepare(`${faces.length === 1 ? '1 face is' : `${faces.length} faces are`} marked`, told);
  const taken: BoundingBox[] = [];
  faces.forEach((face, index) => {
    const group = svg('g', { class: 'face', 'data-index': index });
    group.append(drawBox(face.bbox, size));
    for (const { x, y } of Object.values(face.landmarks ?? {})) {
      const reach = Math.max(face.bbox.xmax - face.bbox.xmin, face.bbox.ymax - face.bbox.ymin);
      group.append(svg('circle', { class: 'point', cx: x, cy: y, r: reach * 0.018 + 0.5 }));
    }
    group.append(drawLabel(floor(Number(face.detection_score), 2), face.bbox, size, 'above', taken));
    overlay.append(group);
  });
}

/** Draws a reading: the counter with its confidence, and each digit with what was read above it. */
export function drawReading(reading: MeterAnswer): void {
  const size = prepare(`The counter is marked, its digits are ${reading.meter_number}`);
  const label = drawLabel(toPercent(reading.confidence), reading.bbox, size, 'below');
  overlay.append(drawPolygon(cornersOf(reading), size), label);
  reading.digits.forEach((read, index) => {
    const corners = cornersOf(read);
    const doubt = read.confidence < 0.9 ? ' doubtful' : '';
    const shapes = [drawPolygon(corners, size, lineShare / 2), drawDigit(read.digit, corners, size)];
    overlay.append(svg('g', { class: `digit${doubt}`, 'data-index': index }, ...shapes));
  });
}

/** Reading order, clockwise from the top left; a box where the response has no corners. */
type Corners = readonly [Point, Point, Point, Point];

function cornersOf({ bbox, polygon = [] }: Pick<MeterAnswer, 'bbox' | 'polygon'>): Corners {
  const { xmin, ymin, xmax, ymax } = bbox;
  const [a = { x: xmin, y: ymin }, b = { x: xmax, y: ymin }, c = { x: xmax, y: ymax }, d = { x: xmin, y: ymax }] =
    polygon;
  return [a, b, c, d];
}

/** What was read, over its wheel and turned with it. */
function drawDigit(digit: string, [a, b, , d]: Corners, size: Size): SVGTextElement {
  const height = Math.min(Math.hypot(d.x - a.x, d.y - a.y), size.height * 0.12) * 0.62;
  const degrees = (Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI;
  const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
  // An upright one stays inside at the picture's upper edge.
  const rise = Math.abs(degrees) < 45 ? Math.min(height * 0.35, y - height * 0.8) : height * 0.35;
  const transform = `translate(${x} ${y}) rotate(${degrees})`;
  return svg('text', { class: 'read', transform, y: -rise, 'font-size': height, 'text-anchor': 'middle' }, digit);
}

export function highlight(index: number | undefined): void {
  for (const group of overlay.querySelectorAll('g[data-index]'))
    group.classList.toggle('marked', group.getAttribute('data-index') === String(index));
}

export function clearOverlay(): void {
  overlay.replaceChildren();
  overlay.setAttribute('aria-label', 'Nothing drawn yet');
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** @returns the upright size, from the service or from the browser */
function prepare(label: string, told?: Size): Size {
  const size = told ?? { width: picture.naturalWidth, height: picture.naturalHeight };
  overlay.replaceChildren();
  overlay.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
  overlay.setAttribute('aria-label', label);
  return size;
}

/** Thinner round what is small. */
function lineOf(width: number, size: Size, share: number): number {
  return Math.min(longer(size) * share, Math.max(width * 0.09, longer(size) * 0.0016));
}

function drawPolygon(corners: Corners, size: Size, share = lineShare): SVGPolygonElement {
  const [a, b] = corners;
  const points = corners.map(({ x, y }) => `${x},${y}`).join(' ');
  const line = lineOf(Math.hypot(b.x - a.x, b.y - a.y), size, share);
  return svg('polygon', { class: 'box', points, 'stroke-width': line });
}

function drawBox({ xmin, ymin, xmax, ymax }: BoundingBox, size: Size): SVGRectElement {
  const [width, height] = [xmax - xmin, ymax - ymin];
  const line = lineOf(width, size, lineShare);
  return svg('rect', { class: 'box', x: xmin, y: ymin, width, height, rx: line * 1.5, 'stroke-width': line });
}

/**
 * A text on a plate beside the box, or inside it where there is no room beside; smaller beside a small
 * box. Where its place is taken it shows only while its group is marked.
 */
function drawLabel(
  text: string,
  box: BoundingBox,
  size: Size,
  side: 'above' | 'below',
  taken: BoundingBox[] = [],
): SVGGElement {
  const most = longer(size) * textShare.most;
  const least = longer(size) * textShare.least;
  const height = Math.min(most, Math.max(least, (box.xmax - box.xmin) * 0.3));
  const width = height * 0.62 * text.length + height * 0.5;
  const x = Math.max(0, Math.min(box.xmin, size.width - width));
  const wanted = side === 'above' ? box.ymin - height * 1.45 : box.ymax + height * 0.15;
  const hasRoom = wanted >= 0 && wanted + height * 1.3 <= size.height;
  const y = hasRoom ? wanted : side === 'above' ? box.ymin : box.ymax - height * 1.3;
  const plate = { xmin: x, ymin: y, xmax: x + width, ymax: y + height * 1.3 };
  const isCrowded = taken.some((other) => overlap(plate, other));
  if (!isCrowded) taken.push(plate);
  return svg(
    'g',
    { class: isCrowded ? 'label crowded' : 'label' },
    svg('rect', { x, y, width, height: height * 1.3, rx: height * 0.25 }),
    svg('text', { x: x + width / 2, y: y + height * 0.98, 'font-size': height, 'text-anchor': 'middle' }, text),
  );
}

function longer({ width, height }: Size): number {
  return Math.max(width, height);
}

function overlap(one: BoundingBox, other: BoundingBox): boolean {
  return one.xmin < other.xmax && other.xmin < one.xmax && one.ymin < other.ymax && other.ymin < one.ymax;
}
