import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, suite, test } from 'node:test';
import sharp, { type Matrix3x3 } from 'sharp';
import type { AnalysisTasks } from '../../../../core-server/compose/analysis-models.js';
import type { KnownMeter } from '../../../../core-server/features/meter/known-meter.js';
import type {
  ReadingWarningName,
  ReadMeterInput,
  ReadMeterOutput,
} from '../../../../core-server/features/meter/task.js';
import type { WorkerPool } from '../../../../core-server/inference/pool/worker-pool.js';
import { eventually } from '../../../helpers/eventually.js';
import { imageFile } from '../../../helpers/pictures/image-file.js';
import { startAnalysisPool } from '../../../helpers/service/start-analysis-pool.js';
import { defaultLimits } from '../../image/fixtures.js';
import { renderLandscape, renderMeter, renderOtherThings, sideBySide } from './fixtures.js';

// The served task in a real worker, on pictures drawn here.
suite('readMeter in a worker', () => {
  let pool: WorkerPool<AnalysisTasks>;
  let pictures: Record<'common' | 'plain' | 'landscape' | 'two' | 'dark' | 'glare' | 'rolled', Buffer>;
  let turned: Map<number, Buffer>;
  let others: Record<string, Buffer>;
  before(async () => {
    // Drawn before the worker starts: it switches the SVG loader off for the whole process.
    pictures = {
      common: await renderMeter('00254813', 3),
      plain: await renderMeter('02741', 0),
      landscape: await renderLandscape(),
      two: await sideBySide(await renderMeter('00254813', 3), await renderMeter('06274', 0)),
      dark: await renderMeter('00254813', 3, { light: 0.25 }),
      glare: await renderMeter('00254813', 3, { glare: true }),
      rolled: await renderMeter('00254813', 3, { rolled: 0.55 }),
    };
    turned = new Map();
    for (const turn of [90, 180, 270]) turned.set(turn, await renderMeter('02741', 0, { turn }));
    others = await renderOtherThings();
    pool = await startAnalysisPool();
  });
  after(() => pool.close(1000));

  const read = (image: Buffer, known: KnownMeter = {}): Promise<ReadMeterOutput> =>
    pool.run(
      'readMeter',
      { image: imageFile(image), checkBelow: 0, known, printed: false, limits: defaultLimits },
      { signal: AbortSignal.timeout(60_000) },
    );

  test('doubts a counter that the edge of the photo cuts, with bars around the photo too', async () => {
    const { reading } = await read(pictures.common);
    const { xmin, xmax } = reading?.boundingBox ?? { xmin: 0, xmax: 0 };
    // Without its last wheel.
    const width = Math.round(xmin + ((xmax - xmin) * 7) / 8);
    const cut = sharp(pictures.common).extract({ left: 0, top: 0, width, height: 500 });
    for (const bar of [0, 90]) {
      const bars = { top: bar, bottom: bar, left: bar, right: bar, background: 'black' };
      const { reading: half } = await read(
        await sharp(await cut.png().toBuffer())
          .extend(bars)
          .jpeg()
          .toBuffer(),
      );
      assert.ok(half?.warnings.includes('COUNTER_CUT'), `bars of ${bar}: ${half?.meterNumber}`);
    }
  });

  test('reads all wheels, finds the point by colour and the counter by place', async () => {
    const { reading } = await read(pictures.common);
    assert.ok(reading);
    assert.equal(reading.meterNumber, '00254813');
    assert.equal(reading.value, '00254.813');
    const { xmin, ymin, xmax, ymax } = reading.boundingBox;
    const within = [
      [xmin, 190, 250],
      [ymin, 235, 275],
      [xmax, 550, 610],
      [ymax, 315, 355],
    ] as const;
    for (const [at, least, most] of within) assert.ok(at > least && at < most, String(at));
    const middles = reading.digits.map(({ boundingBox: b }) => ((b?.xmin ?? 0) + (b?.xmax ?? 0)) / 2);
    for (const [index, middle] of middles.entries()) {
      const truth = 216 + (index + 0.5) * 46;
      assert.ok(Math.abs(middle - truth) < 23, `digit ${index} at ${middle}, want about ${truth}`);
    }
    assert.ok(reading.confidence > 0 && reading.confidence <= 1);
  });

  test('tells no fraction where all has one colour, whichever', async () => {
    const here = new URL('../../../../../tests/core-server/features/meter/', import.meta.url);
    const picture = await readFile(new URL('pictures/display.jpg', here));
    assert.deepEqual((await read(picture)).reading?.warnings, []);
    const light = [0.299, 0.587, 0.114];
    const colours = [
      [1, 1, 1],
      [1, 0.975, 0.95],
      [1, 0.75, 0.3],
    ];
    for (const colour of colours) {
      const shares = colour.map((share) => light.map((part) => share * part)) as Matrix3x3;
      const { reading } = await read(await sharp(picture).recomb(shares).toBuffer());
      assert.equal(reading?.status, 'CHECK', String(colour));
      assert.deepEqual(reading.warnings, ['FRACTION_UNKNOWN'], String(colour));
    }
  });

  for (const turn of [90, 180, 270]) {
    test(`reads a counter that is turned by ${turn} degrees and says so`, async () => {
      const { reading } = await read(turned.get(turn) ?? Buffer.alloc(0));
      assert.equal(reading?.meterNumber, '02741');
      assert.equal(reading.value, '02741');
      assert.ok(reading.warnings.includes('ROTATED_INPUT'));
    });
  }

  test('takes no picture for turned that its EXIF turns upright', async () => {
    const sideways = await sharp(pictures.plain).rotate(270).withMetadata({ orientation: 6 }).toBuffer();
    const { reading } = await read(sideways);
    assert.equal(reading?.meterNumber, '02741');
    assert.ok(!reading.warnings.includes('ROTATED_INPUT'));
  });

  const warned: ['two' | 'dark' | 'glare' | 'rolled', ReadingWarningName][] = [
    ['two', 'SEVERAL_COUNTERS'],
    ['dark', 'LOW_LIGHT'],
    ['glare', 'GLARE'],
    ['rolled', 'DIGIT_BETWEEN_POSITIONS'],
  ];
  for (const [name, warning] of warned) {
    test(`warns of ${warning}`, async () => {
      const { reading } = await read(pictures[name]);
      assert.ok(reading?.warnings.includes(warning), JSON.stringify(reading));
      const without = (await read(pictures.plain)).reading;
      assert.ok(without && !without.warnings.includes(warning));
    });
  }

  test('gives the reading beside the one of a wheel between two digits', async () => {
    const { reading } = await read(pictures.rolled);
    const all = [reading?.meterNumber, ...(reading?.alternatives ?? []).map((a) => a.meterNumber)];
    assert.deepEqual(all.sort(), ['00254813', '00254814']);
  });

  test('prefers the counter that has the known number of wheels', async () => {
    const known = async (digits: number) => (await read(pictures.two, { digits })).reading?.meterNumber;
    assert.equal(await known(8), '00254813');
    assert.equal(await known(5), '06274');
  });

  test('finds no reading in a landscape', async () => {
    const { reading } = await read(pictures.landscape);
    assert.equal(reading, null);
  });

  test('finds no reading in what has something of a counter', async () => {
    for (const [name, picture] of Object.entries(others)) {
      assert.equal((await read(picture)).reading, null, name);
    }
  });
});

test('of what may take seconds, two workers have one at a time', async (t) => {
  const pool = await startAnalysisPool(2);
  t.after(() => pool.close(1000));
  const heic = await readFile(new URL('../../../../../tests/core-server/image/heic/astronaut.heic', import.meta.url));
  const meter = await readFile(new URL('../../../../../samples/meter.jpg', import.meta.url));
  const long: Pick<ReadMeterInput, 'image' | 'printed'>[] = [
    { image: { bytes: heic, type: 'heic' }, printed: false },
    { image: imageFile(meter), printed: true },
  ];
  const common = { checkBelow: 0, known: {}, limits: defaultLimits };
  for (const each of long) {
    const gone = new AbortController();
    const read = () => pool.run('readMeter', { ...each, ...common }, { signal: gone.signal });
    const both = Promise.allSettled([read(), read()]);
    await eventually(() => pool.stats.queued === 1 && pool.stats.running === 1);
    gone.abort();
    await both;
  }
});
