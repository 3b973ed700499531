import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tilesOf } from '../../../../core-server/features/face/tiles.js';

test('a small pass is one tile', () => {
  const [tile, ...more] = tilesOf({ width: 640, height: 427 });
  assert.deepEqual(tile?.region, { left: 0, top: 0, width: 640, height: 427 });
  assert.equal(more.length, 0);
});

test('a large pass is cut between cells, and tiles share surroundings', () => {
  const regions = tilesOf({ width: 1291, height: 600 }).map(({ region }) => region);
  assert.deepEqual(regions, [
    { left: 0, top: 0, width: 736, height: 600 },
    { left: 608, top: 0, width: 683, height: 600 },
  ]);
});

test('each point has one tile, also beside the pass', () => {
  for (const size of [
    { width: 1291, height: 968 },
    { width: 5000, height: 250 },
    { width: 769, height: 1625 },
  ]) {
    const tiles = tilesOf(size);
    for (let x = -40; x < size.width + 40; x += 31)
      for (let y = -40; y < size.height + 40; y += 31) {
        const owners = tiles.filter(
          ({ core }) => x >= core.left && x < core.left + core.width && y >= core.top && y < core.top + core.height,
        );
        assert.equal(owners.length, 1, `${x}, ${y} of ${size.width} x ${size.height}`);
      }
  }
});

test('no tile of a second look is larger than three quarters of a million pixels', () => {
  for (let width = 200; width <= 6000; width += 50) {
    const height = Math.round(1_250_000 / width);
    for (const { region } of tilesOf({ width, height }))
      assert.ok(region.width * region.height <= 750_000, `${region.width} x ${region.height}`);
  }
});
