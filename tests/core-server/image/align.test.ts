import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alignPixels, fitSimilarity } from '../../../core-server/image/align.js';
import { type DecodedPart, type Point, wholeOf } from '../../../core-server/image/picture.js';

/** ArcFace's template, as InsightFace publishes it. */
const template: Point[] = [
  { x: 38.2946, y: 51.6963 },
  { x: 73.5318, y: 51.5014 },
  { x: 56.0252, y: 71.7366 },
  { x: 41.5493, y: 92.3655 },
  { x: 70.7299, y: 92.2041 },
];

/** A picture of one grey. */
function filled(width: number, height: number, grey: number): DecodedPart {
  const picture = { data: new Uint8Array(width * height * 3).fill(grey), width, height };
  return { picture, around: wholeOf(picture) };
}

test('the fitted similarity is the one that moved the points', () => {
  const [turn, scale] = [2.1, 0.4];
  const moved = template.map(({ x, y }) => ({
    x: scale * (Math.cos(turn) * x - Math.sin(turn) * y) + 30,
    y: scale * (Math.sin(turn) * x + Math.cos(turn) * y) - 7,
  }));
  const found = fitSimilarity(template, moved);
  assert.ok(found);
  for (const [key, want] of Object.entries({ a: scale * Math.cos(turn), b: scale * Math.sin(turn), x: 30, y: -7 })) {
    assert.ok(Math.abs(found[key as keyof typeof found] - want) < 1e-9, key);
  }
});

test('points in one place have none, nor do those that lie like nothing of the kind', () => {
  const points = Array.from({ length: 5 }, () => ({ x: 3, y: 4 }));
  assert.equal(fitSimilarity(points, template), undefined);
  // The best similarity would be so small that the face had several times their size.
  const mirrored = template.map(({ x, y }) => ({ x: -1.25 * x, y }));
  assert.equal(fitSimilarity(mirrored, template), undefined);
  assert.equal(alignPixels(filled(10, 10, 0), points, { side: 112, margin: 0 }), undefined);
});

test('each point of the face lands where the template has it', () => {
  // White dots on grey, turned by a third and six times as large.
  const [width, height] = [1200, 1200];
  const points = template.map(({ x, y }) => ({
    x: 600 + 6 * (Math.cos(2) * (x - 56) - Math.sin(2) * (y - 56)),
    y: 600 + 6 * (Math.sin(2) * (x - 56) + Math.cos(2) * (y - 56)),
  }));
  const part = filled(width, height, 80);
  for (const { x, y } of points) {
    for (let row = Math.round(y) - 9; row <= Math.round(y) + 9; row++)
      part.picture.data.fill(255, (row * width + Math.round(x) - 9) * 3, (row * width + Math.round(x) + 10) * 3);
  }
  const aligned = alignPixels(part, points, { side: 112, margin: 0 });
  assert.ok(aligned);
  for (const [i, { x, y }] of template.entries()) {
    const at = (Math.round(y) * 112 + Math.round(x)) * 3;
    assert.ok((aligned.pixels.data[at] ?? 0) > 200, `${x}, ${y}: ${aligned.pixels.data[at]}`);
    // The template counts from the middle of the first pixel.
    const back = aligned.toPicture({ x: x + 0.5, y: y + 0.5 });
    const point = points[i] as Point;
    assert.ok(Math.hypot(back.x - point.x - 0.5, back.y - point.y - 0.5) < 1e-9, `${back.x}, ${back.y}`);
  }
  const bright = aligned.pixels.data.filter((value) => value > 160).length / 3;
  assert.ok(bright > 25 && bright < 90, `${bright} bright pixels, want five dots`);
});

test('a face beside the picture is black', () => {
  const picture = filled(10, 10, 99);
  const far = template.map(({ x, y }) => ({ x: x + 5000, y: y + 5000 }));
  const aligned = alignPixels(picture, far, { side: 16, margin: 0 });
  assert.deepEqual(aligned?.pixels, { data: new Uint8Array(16 * 16 * 3), width: 16, height: 16 });
});
