import { type Box, type DecodedPart, pixelsIn, type Point, type RgbPicture, scaledSize, type Size } from './picture.js';
import { resizePicture } from './resize/resize-picture.js';
import { samplePixel } from './resize/sample-pixel.js';

/**
 * Where right eye, left eye, nose tip and the corners of the mouth lie in an aligned face of 112 x 112 pixels: the
 * template of ArcFace (`arcface_dst` in InsightFace, `python-package/insightface/utils/face_align.py`), for which most
 * recognition networks are trained.
 */
const template: readonly Point[] = [
  { x: 38.2946, y: 51.6963 },
  { x: 73.5318, y: 51.5014 },
  { x: 56.0252, y: 71.7366 },
  { x: 41.5493, y: 92.3655 },
  { x: 70.7299, y: 92.2041 },
];
const templateSide = 112;

/** A similarity: a turn and a scale as the complex number a + bi, then a shift. */
type Similarity = Readonly<Record<'a' | 'b' | 'x' | 'y', number>>;

/** What an aligned face is: a square of so many pixels a side, with more room on each side as a share of it. */
interface AlignedSquare {
  readonly side: number;
  readonly margin: number;
}

/**
 * The face turned and scaled so that its five points lie as close to the template as they can (least squares without
 * mirroring, as by S. Umeyama, "Least-squares estimation of transformation parameters between two point patterns",
 * 1991). Black where the part ends. Undefined if the points do not lie like those of a face.
 *
 * @param points in pixels of the whole picture
 * @returns the square, and what converts its points to those of the picture
 */
export function alignPixels(part: DecodedPart, points: readonly Point[], square: AlignedSquare) {
  const fit = fitSquare(points, square);
  if (fit === undefined) return undefined;
  const { side } = square;
  const pixels: RgbPicture = { data: new Uint8Array(side * side * 3), width: side, height: side };
  const shown = pixelsIn(part, fit.box);
  // Shrinks by areas first: sampling alone would alias.
  const near = resizePicture(part.picture, scaledSize(shown, Math.min(1, fit.scale)), shown);
  const [left, top] = [part.around.left + shown.left, part.around.top + shown.top];
  const [scaleX, scaleY] = [near.width / shown.width, near.height / shown.height];
  const sampled = (point: Point): Point => {
    const { x, y } = fit.place(point);
    return { x: (x + 0.5 - left) * scaleX - 0.5, y: (y + 0.5 - top) * scaleY - 0.5 };
  };
  const [start, right, below] = [sampled({ x: 0, y: 0 }), sampled({ x: 1, y: 0 }), sampled({ x: 0, y: 1 })];
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const x = start.x + column * (right.x - start.x) + row * (below.x - start.x);
      const y = start.y + column * (right.y - start.y) + row * (below.y - start.y);
      if (isInside(x, y, near)) samplePixel(near, x, y, pixels.data, (row * side + column) * 3);
    }
  }
  return { pixels, toPicture: (point: Point) => shifted(fit.place(shifted(point, -0.5)), 0.5) };
}

/** What of a picture `alignPixels` shows; it may reach beyond the picture. */
export function alignedBox(points: readonly Point[], square: AlignedSquare): Box | undefined {
  return fitSquare(points, square)?.box;
}

/** Where the square lies in the picture; undefined if the points do not lie like those of a face. */
function fitSquare(points: readonly Point[], { side, margin }: AlignedSquare) {
  const fitted = fitSimilarity(points, template);
  if (fitted === undefined) return undefined;
  const step = (templateSide * (1 + 2 * margin)) / side;
  /** From the middle of a pixel of the square to one of the picture. */
  const place = ({ x, y }: Point): Point =>
    undo(fitted, {
      x: (x + 0.5) * step - margin * templateSide - 0.5,
      y: (y + 0.5) * step - margin * templateSide - 0.5,
    });
  const corners = [0, side].flatMap((x) => [0, side].map((y) => place({ x, y })));
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  return {
    place,
    /** Pixels of the square per pixel of the picture. */
    scale: Math.hypot(fitted.a, fitted.b) / step,
    /** Around it; between pixels, the next one counts too. */
    box: {
      xmin: Math.min(...xs) - 1.5,
      ymin: Math.min(...ys) - 1.5,
      xmax: Math.max(...xs) + 2.5,
      ymax: Math.max(...ys) + 2.5,
    },
  };
}

/** Of how the points lie, a similarity must explain so much: else, a face could become as large as the picture. */
const leastExplained = 0.05;

/** The similarity that brings `from` closest to `to`; undefined if `from` is a single place, or nothing like it. */
export function fitSimilarity(from: readonly Point[], to: readonly Point[]): Similarity | undefined {
  const [centre, target] = [middleOf(from), middleOf(to)];
  let [dot, cross, spread, targetSpread] = [0, 0, 0, 0];
  for (const [i, point] of from.entries()) {
    const [x, y] = [point.x - centre.x, point.y - centre.y];
    const [u, v] = [(to[i]?.x ?? 0) - target.x, (to[i]?.y ?? 0) - target.y];
    dot += x * u + y * v;
    cross += x * v - y * u;
    spread += x * x + y * y;
    targetSpread += u * u + v * v;
  }
  if (!(spread > 1e-6 && dot * dot + cross * cross > leastExplained * spread * targetSpread)) return undefined;
  const [a, b] = [dot / spread, cross / spread];
  return { a, b, x: target.x - a * centre.x + b * centre.y, y: target.y - b * centre.x - a * centre.y };
}

function undo({ a, b, x, y }: Similarity, point: Point): Point {
  const [u, v, square] = [point.x - x, point.y - y, a * a + b * b];
  return { x: (a * u + b * v) / square, y: (a * v - b * u) / square };
}

const shifted = ({ x, y }: Point, by: number): Point => ({ x: x + by, y: y + by });

/** The middle of some points. */
export function middleOf(points: readonly Point[]): Point {
  const sum = points.reduce((total, { x, y }) => ({ x: total.x + x, y: total.y + y }));
  return { x: sum.x / points.length, y: sum.y / points.length };
}

function isInside(x: number, y: number, { width, height }: Size): boolean {
  return x >= -0.5 && y >= -0.5 && x <= width - 0.5 && y <= height - 0.5;
}
