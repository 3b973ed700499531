import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isOn } from '../../../../../core-server/features/meter/geometry.js';
import { cutMeterFace } from '../../../../../core-server/features/meter/printed/meter-face.js';
import { findPrintedText } from '../../../../../core-server/features/meter/printed/printed-text.js';
import { box } from '../fixtures.js';

suite('findPrintedText', () => {
  const found = (...texts: [string, number?][]) =>
    findPrintedText(texts.map(([text, confidence = 0.9]) => ({ text, confidence })));
  const serials: [string, [string, number?][], string][] = [
    ['takes what stands after a name', [['12345678'], ['No. 19-043377', 0.6]], '19-043377'],
    ['knows the sign for number', [['№ 0412345']], '0412345'],
    ['knows the sign as it is often read', [['Ne2493514', 0.5]], '2493514'],
    ['knows it as NQ', [['NQ022019814']], '022019814'],
    ['does not take the scale of a pointer', [['X00001']], ''],
    ['knows S/N', [['S/N:AB1234567']], 'AB1234567'],
    ['takes a long number without a name', [['17054321']], '17054321'],
    [
      'takes the surest of several',
      [
        ['11111111', 0.5],
        ['22222222', 0.8],
      ],
      '22222222',
    ],
    ['does not take a standard', [['ISO4064'], ['GB/T778'], ['EN14154-1']], ''],
    ['takes what stands before its year', [['4026884/2009']], '4026884'],
    ['does not take the places of the wheels', [['10000100010010'], ['10001000100']], ''],
    ['does not take a voltage or a notified body', [['220V50N60'], ['CEM170102']], ''],
    ['does not take a date', [['20190815'], ['2019-08'], ['2019-09-1310:49:28']], ''],
    ['does not take the number of a licence', [['MC渝制00000625'], ['PA型批渝[2016]053号']], ''],
    ['does not take a number that was hardly seen', [['17054321', 0.4]], ''],
    ['does not take a flow or a temperature', [['Q3 2.5 m3/h'], ['30 C'], ['1.6 MPa']], ''],
    ['finds none in words', [['COLD WATER']], ''],
    ['finds none in nothing', [], ''],
  ];
  for (const [name, texts, serial] of serials) {
    test(name, () => assert.equal(found(...texts).serialNumber, serial));
  }
  const units: [string, string][] = [
    ['m3', 'm3'],
    ['M³', 'm3'],
    ['m²', 'm3'],
    ['m"', 'm3'],
    ['M', 'm3'],
    ['m 3', 'm3'],
    ['CBK-15 m?', 'm3'],
    ['om', 'm3'],
    ['0.814 m/imp', ''],
    ['40mm', ''],
    ['Qn 1.5 m²/h', ''],
    ['Q 2.5m%h', ''],
    ['x0.0001 m3', 'm3'],
    ['2.5 m3/h', ''],
    ['m3 / h', ''],
    ['kWh', 'kWh'],
    ['imp/kWh', 'kWh'],
    ['ft3', 'ft3'],
    ['US GALLONS', 'gal'],
    ['legal', ''],
    ['', ''],
  ];
  for (const [text, unit] of units) {
    test(`"${text}" is the unit "${unit}"`, () => assert.equal(found([text]).unit, unit));
  }
});

suite('cutMeterFace', () => {
  // A white picture with a black counter on it, and a black dot a tenth of its width below its right end.
  const picture = (degrees: number) => {
    const counter = box(200, 200, 100, 20, degrees);
    const [, , corner] = counter;
    const across = ((degrees + 90) * Math.PI) / 180;
    const dot = { x: corner.x + 10 * Math.cos(across), y: corner.y + 10 * Math.sin(across) };
    const data = new Uint8Array(400 * 400 * 3).fill(255);
    for (let y = 0; y < 400; y++) {
      for (let x = 0; x < 400; x++) {
        const isDot = Math.hypot(x - dot.x, y - dot.y) < 4;
        if (isDot || isOn(counter, { x, y })) data.fill(0, (y * 400 + x) * 3, (y * 400 + x + 1) * 3);
      }
    }
    return { picture: { data, width: 400, height: 400 }, counter };
  };

  for (const degrees of [0, 90, 180, -60, 135]) {
    test(`lays a counter turned by ${degrees} degrees level, in the middle, and covers it`, () => {
      const { picture: whole, counter: turned } = picture(degrees);
      const face = cutMeterFace(whole, turned);
      assert.deepEqual([face.width, face.height], [960, 960]);
      const scale = 960 / 360;
      const valueAt = (x: number, y: number) => face.data[(Math.round(y) * 960 + Math.round(x)) * 3];
      const corner = { x: 480 + 50 * scale, y: 480 + 10 * scale };
      assert.equal(valueAt(480, 480), 128);
      assert.equal(valueAt(corner.x - 1, corner.y - 1), 128);
      assert.equal(valueAt(480 - 49 * scale, 480 - 9 * scale), 128);
      assert.equal(valueAt(480 - 52 * scale, 480), 255);
      assert.equal(valueAt(corner.x, corner.y + 10 * scale), 0);
      assert.equal(valueAt(corner.x, corner.y + 20 * scale), 255);
    });
  }
  test('enlarges a small counter no more than three times', () => {
    const { picture: whole } = picture(0);
    const face = cutMeterFace(whole, box(200, 200, 20, 5));
    assert.deepEqual([face.width, face.height], [216, 216]);
  });
});
