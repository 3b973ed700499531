import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poseOf } from '../../../../core-server/features/face/attributes.js';
import type { Candidate } from '../../../../core-server/features/face/geometry.js';
import { levelFaces } from '../../../../core-server/features/face/level-faces.js';
import { type Point, type RgbPicture, wholeOf } from '../../../../core-server/image/picture.js';
import type { RunModel } from '../../../../core-server/inference/models/sessions.js';
import { cascadeRule } from './cascade-rule.js';

const [width, height] = [400, 400];
const colours = ['255,0,0', '0,255,0', '0,0,255', '255,255,0', '255,0,255'];
const upright: Point[] = [
  { x: 170, y: 180 },
  { x: 230, y: 180 },
  { x: 200, y: 215 },
  { x: 175, y: 250 },
  { x: 225, y: 250 },
];

/** Turned about their middle, clockwise by so many degrees. */
function turned(points: readonly Point[], degrees: number): Point[] {
  const [x, y] = (['x', 'y'] as const).map((axis) => points.reduce((sum, point) => sum + point[axis] / 5, 0)) as [
    number,
    number,
  ];
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return points.map((p) => ({ x: x + cos * (p.x - x) - sin * (p.y - y), y: y + sin * (p.x - x) + cos * (p.y - y) }));
}

/** Grey, with a dot of its own colour at each point. */
function draw(points: readonly Point[]): RgbPicture {
  const data = new Uint8Array(width * height * 3).fill(90);
  for (const [i, { x, y }] of points.entries()) {
    for (let row = Math.round(y) - 4; row < Math.round(y) + 4; row++) {
      for (let column = Math.round(x) - 4; column < Math.round(x) + 4; column++) {
        data.set((colours[i] as string).split(',').map(Number), (row * width + column) * 3);
      }
    }
  }
  return { data, width, height };
}

/** The middle of each dot. */
function dotsIn(data: Uint8Array, side: number): Point[] {
  return colours.map((colour) => {
    const want = colour.split(',').map(Number);
    let [x, y, count] = [0, 0, 0];
    for (let at = 0; at < side * side; at++) {
      if (!want.every((value, channel) => Math.abs((data[at * 3 + channel] ?? 0) - value) < 60)) continue;
      [x, y, count] = [x + (at % side) + 0.5, y + Math.floor(at / side) + 0.5, count + 1];
    }
    return { x: x / count, y: y / count };
  });
}

/** A network that sees points half way to where they were if the face stood upright, or on its head. */
function laggingNetwork({ box = [38, 34, 122, 145], shift = 0 } = {}) {
  const leans: number[] = [];
  const run: RunModel = ({ image }) => {
    const dots = dotsIn(image?.data as Uint8Array, 160);
    const isOnHead = Math.abs(poseOf(dots).roll) > 90;
    const points = isOnHead ? turned(dots, 180) : dots;
    const { roll } = poseOf(points);
    leans.push(roll);
    const floats = (values: number[], ...dims: number[]) =>
      ({ type: 'float32', data: Float32Array.from(values), dims }) as const;
    return Promise.resolve({
      boxes: floats(box, 1, 4),
      scores: floats([isOnHead ? 0.8 : 0.95], 1),
      landmarks: floats(
        turned(points, roll / 2).flatMap(({ x, y }) => [x + shift, y]),
        1,
        5,
        2,
      ),
    });
  };
  return { run, leans };
}

const step = <Result>(_: string, work: () => Result | Promise<Result>): Promise<Result> => Promise.resolve(work());

async function level(points: readonly Point[], landmarks: Point[], { run }: { readonly run: RunModel }) {
  const picture = draw(points);
  const face: Candidate = { box: { xmin: 120, ymin: 120, xmax: 280, ymax: 290 }, score: 0.9, landmarks };
  const [found] = await levelFaces({ picture, around: wholeOf(picture) }, [face], { run, rule: cascadeRule }, step);
  return found?.landmarks ?? [];
}

test('a face is looked at upright until its points stand level, and they are those of the picture', async () => {
  for (const lean of [-30, -10, 20, 40]) {
    const points = turned(upright, lean);
    const network = laggingNetwork();
    const found = await level(points, turned(points, -lean / 2), network);
    assert.ok(network.leans.length <= 3, `${lean}: ${network.leans.length} looks`);
    assert.ok(Math.abs(poseOf(found).roll + lean) <= Math.abs(lean) / 12 + 1, `${lean}: roll ${poseOf(found).roll}`);
    for (const [i, { x, y }] of found.entries()) {
      const point = points[i] as Point;
      assert.ok(Math.hypot(x - point.x, y - point.y) < 5, `${lean}: point ${i} at ${x}, ${y}`);
    }
  }
});

test('a face whose points are upside down is turned over', async () => {
  const points = turned(upright, 150);
  const found = await level(points, turned(points, 180), laggingNetwork());
  assert.ok(Math.abs(poseOf(found).roll + 150) < 5, `roll ${poseOf(found).roll}`);
});

test('one look is enough for an upright face', async () => {
  const network = laggingNetwork();
  await level(upright, upright, network);
  assert.equal(network.leans.length, 1);
});

test('where the look sees another face, or the points elsewhere, they stay', async () => {
  const points = turned(upright, 20);
  for (const other of [laggingNetwork({ box: [38, 100, 122, 211] }), laggingNetwork({ shift: 30 })]) {
    assert.deepEqual(await level(points, upright, other), upright);
  }
});

test('only the largest faces of a crowd are looked at, and none that is tiny', async () => {
  for (const [count, side, looks] of [
    [66, 100, 64],
    [3, 20, 0],
  ] as const) {
    const { run, leans } = laggingNetwork();
    const picture = draw(upright);
    const face: Candidate = {
      box: { xmin: 150, ymin: 150, xmax: 150 + side, ymax: 150 + side },
      score: 0.9,
      landmarks: upright,
    };
    const faces = Array.from({ length: count }, () => face);
    const found = await levelFaces({ picture, around: wholeOf(picture) }, faces, { run, rule: cascadeRule }, step);
    assert.deepEqual([found.length, leans.length], [count, looks]);
  }
});
