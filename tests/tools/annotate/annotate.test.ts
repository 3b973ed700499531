import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { annotate, type Annotation } from '../../../tools/annotate/annotate.js';

const colour = '#0000ff';

/** Annotates white paper, stored as its EXIF says. @returns the picture as RGB, and where it is blue */
async function annotated(width: number, height: number, annotations: Annotation[], orientation = 1) {
  const create = { width, height, channels: 3, background: '#ffffff' } as const;
  const paper = await sharp({ create }).withMetadata({ orientation }).png().toBuffer();
  const jpeg = await annotate(paper, annotations);
  const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
  const isBlue = (x: number, y: number) => {
    const at = (y * info.width + x) * info.channels;
    return (data[at] ?? 255) < 100 && (data[at + 2] ?? 0) > 150;
  };
  const blueRows = Array.from({ length: info.height }, (_, y) => y).filter((y) =>
    Array.from({ length: info.width }, (_, x) => x).some((x) => isBlue(x, y)),
  );
  return { info, isBlue, blueRows };
}

describe('annotate', () => {
  for (const [width, height, expected] of [
    [80, 40, { width: 800, height: 400 }],
    [1000, 700, { width: 1000, height: 700 }],
    [600, 4800, { width: 200, height: 1600 }],
  ] as const) {
    it(`makes ${width} x ${height} fit for looking at`, async () => {
      const { info } = await annotated(width, height, []);
      assert.deepEqual({ width: info.width, height: info.height }, expected);
    });
  }

  it('takes a photo with the lesser damage that the service forgives', async () => {
    const create = { width: 640, height: 480, channels: 3, background: '#c08040' } as const;
    const jpeg = await sharp({ create }).jpeg().toBuffer();
    const middle = Math.floor(jpeg.length / 2);
    const strayMarker = Buffer.from([0xff, 0x55, 0, 0]);
    const damaged = [jpeg.subarray(0, middle), strayMarker, jpeg.subarray(middle)];
    const { width } = await sharp(await annotate(Buffer.concat(damaged), [])).metadata();
    assert.equal(width, 800);
  });

  it('draws a box where it is in the upright picture, in the scale of the result', async () => {
    const box = { xmin: 20, ymin: 10, xmax: 60, ymax: 30 };
    for (const [width, height, orientation] of [
      [80, 40, 1],
      [40, 80, 6],
    ] as const) {
      const { info, isBlue } = await annotated(width, height, [{ box, colour }], orientation);
      assert.deepEqual([info.width, info.height], [800, 400]);
      for (const [x, y] of [
        [200, 200],
        [600, 200],
        [400, 100],
        [400, 300],
      ] as const)
        assert.ok(isBlue(x, y), `${x}, ${y}`);
      assert.ok(!isBlue(400, 200));
    }
  });

  it('draws corners in place of a box, and dots', async () => {
    const box = { xmin: 20, ymin: 0, xmax: 60, ymax: 40 };
    const corners = [
      { x: 60, y: 20 },
      { x: 40, y: 39 },
      { x: 20, y: 20 },
      { x: 40, y: 1 },
    ];
    const { isBlue } = await annotated(80, 40, [{ box, corners, colour, dots: [{ x: 40, y: 20 }] }]);
    assert.deepEqual([isBlue(300, 105), isBlue(200, 100), isBlue(400, 200)], [true, false, true]);
  });

  it('keeps text inside the picture for a box that fills it', async () => {
    const box = { xmin: 0, ymin: 0, xmax: 1000, ymax: 700 };
    const { isBlue } = await annotated(1000, 700, [{ box, colour, text: ['0.99'] }]);
    assert.ok(isBlue(6, 6));
    assert.ok(!isBlue(6, 60));
  });

  for (const [side, x, y] of [
    ['right', 985, 335],
    ['below', 905, 668],
  ] as const)
    it(`keeps text inside the picture that would be ${side === 'right' ? 'right of' : 'below'} its edge`, async () => {
      const box = side === 'right' ? [900, 300, 999, 400] : [900, 600, 999, 699];
      const [xmin = 0, ymin = 0, xmax = 0, ymax = 0] = box;
      const { isBlue } = await annotated(1000, 700, [
        { box: { xmin, ymin, xmax, ymax }, colour, text: ['0.99'], side },
      ]);
      assert.ok(isBlue(x, y));
    });

  it('writes text without any font, white on its plate', async () => {
    const box = { xmin: 200, ymin: 300, xmax: 400, ymax: 500 };
    const { isBlue } = await annotated(1000, 700, [{ box, colour, text: ['8888'] }]);
    const row = Array.from({ length: 60 }, (_, x) => isBlue(200 + x, 300 - 9 - 5));
    assert.ok(row.includes(true) && row.includes(false));
  });

  it('leaves out text where other text stands', async () => {
    const box = { xmin: 300, ymin: 300, xmax: 400, ymax: 400 };
    const one = await annotated(1000, 700, [{ box, colour, text: ['1'] }]);
    const lower = { ...box, ymin: 310 };
    const two = await annotated(1000, 700, [
      { box, colour, text: ['1'] },
      { box: lower, colour, text: ['1'] },
    ]);
    assert.equal(two.blueRows[0], one.blueRows[0]);
    assert.ok(!two.isBlue(310, 303));
  });
});
