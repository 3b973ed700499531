import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { intersectionOverUnion } from '../../core-server/features/face/geometry.js';
import type { Box } from '../../core-server/image/picture.js';
import { readFaceEvaluation } from '../accuracy/face/face-data.js';
import { readMeterEvaluation } from '../accuracy/meter/meter-data.js';
import { createLifetime } from '../helpers/lifetime.js';
import { createForm } from '../helpers/net/form.js';
import { post } from '../helpers/service/rest-requests.js';
import { startService, type TestService } from '../helpers/service/service.js';

// Real photographs through the whole service. Which ones is fixed by a rule, the first of each set by
// name; how many of all are right is what `make eval` measures.

const count = 4;
const minOverlap = 0.5;

const faces = readFaceEvaluation();
const meters = readMeterEvaluation();

function firstOf<Row extends { readonly path: string }>(
  rows: readonly Row[] | undefined,
  isWanted: (row: Row) => boolean,
): Row[] {
  const sorted = [...(rows ?? [])].sort((a, b) => (a.path < b.path ? -1 : 1));
  return sorted.filter(isWanted).slice(0, count);
}

const portraits = firstOf(faces, (row) => row.set === 'portrait70' && row.faces.length === 1);
const withoutFace = firstOf(faces, (row) => row.set === 'noface');
const photos = ['toloka', 'cn', 'ha'].flatMap((name) => firstOf(meters, ({ source }) => source === name));

interface Face {
  readonly bbox: Box;
  readonly detection_score: string;
  readonly face: string;
}

interface Reading {
  readonly meter_number: string;
  readonly value: string;
  readonly unit: string;
  readonly confidence: number;
  readonly status: string;
  readonly warnings: readonly string[];
  readonly bbox: Box;
  readonly digits: readonly { digit: string; confidence: number; bbox: Box }[];
}

const lifetime = createLifetime();
const skip =
  faces === undefined || meters === undefined
    ? 'no ../shared/face/eval and ../shared/meter/eval; set SHARED_DIR to test on real pictures'
    : false;

describe('real pictures', { skip }, () => {
  let service: TestService;

  before(async () => {
    service = await startService(lifetime);
  });

  it('are there', () => {
    assert.deepEqual(
      [portraits, withoutFace, photos].map(({ length }) => length),
      [4, 4, 12],
    );
  });

  const ask = async <Body>(path: string, file: string) =>
    post<Body & { reason?: string }>(service, path, createForm(await readFile(file)));

  for (const { path: file, faces: truth } of portraits) {
    it(`${path.basename(file)}: its face is found where it is`, async () => {
      const { status, body } = await ask<Face>('/face_detect_single', file);
      assert.equal(status, 200, JSON.stringify(body));
      const [face] = truth;
      assert.ok(face);
      const overlap = intersectionOverUnion(body.bbox, face.box);
      assert.ok(overlap >= minOverlap, `an overlap of ${overlap}`);
      assert.match(body.detection_score, /^0\.\d+$|^1(\.0+)?$/);
      assert.deepEqual([...Buffer.from(body.face, 'base64').subarray(0, 2)], [0xff, 0xd8]);
    });
  }

  for (const { path: file } of withoutFace) {
    it(`${path.basename(file)}: no face is found`, async () => {
      const { status, body } = await ask<{ result: Face[] }>('/face_detect_multi', file);
      assert.deepEqual([status, body.result], [200, []]);
    });
  }

  it('meters are read, or refused as unreadable', async () => {
    let read = 0;
    for (const { path: file } of photos) {
      const { status, body } = await ask<Reading>('/meter-number-ocr/file', file);
      if (status === 200) checkReading(body);
      else assert.deepEqual([status, body.reason], [422, 'NO_READING'], file);
      read += Number(status === 200);
    }
    assert.ok(read >= photos.length / 2, `${read} of ${photos.length} photos were read`);
  });
});

function checkReading(reading: Reading): void {
  assert.match(reading.meter_number, /^\d{3,12}$/);
  assert.match(reading.value, /^\d+(\.\d+)?$/);
  assert.equal(reading.value.replace('.', ''), reading.meter_number);
  assert.equal(reading.unit, 'm3');
  assert.ok(reading.confidence > 0 && reading.confidence <= 1);
  assert.match(reading.status, /^(ok|check)$/);
  assert.ok(reading.warnings.every((warning) => /^[A-Z_]+$/.test(warning)));
  assert.equal(reading.digits.map(({ digit }) => digit).join(''), reading.meter_number);
  for (const { bbox, confidence } of [reading, ...reading.digits]) {
    assert.ok(bbox.xmin < bbox.xmax && bbox.ymin < bbox.ymax, JSON.stringify(bbox));
    assert.ok(confidence >= 0 && confidence <= 1);
  }
}
