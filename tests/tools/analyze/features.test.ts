import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DetectAllFacesResponse } from '../../../generated/imageanalysis/v1/face_detection.js';
import {
  FuseMeterReadingsResponse,
  ReadingStatus,
  ReadingWarning,
  ReadMeterResponse,
} from '../../../generated/imageanalysis/v1/meter_reading.js';
import { RefusedError } from '../../../sdk/typescript/client.js';
import { type FeatureName, features } from '../../../tools/analyze/features.js';

/** What a feature makes of the answers of this client to one picture, or to two photos. */
async function answersOf(feature: FeatureName, client: object) {
  async function* pictures() {
    yield await Promise.resolve({ id: '1', files: ['a.jpg', 'b.jpg'], images: [] });
  }
  const options = { company: '', minScore: undefined, landmarks: true };
  const found = [];
  const { signal } = new AbortController();
  for await (const answer of features[feature].stream(client as never, pictures(), options, signal)) found.push(answer);
  return found;
}

async function* answered(value: object) {
  yield await Promise.resolve({ id: '1', result: { $case: 'response', value } });
}

const model = { name: 'a model', version: '1' };
const box = { xmin: 1, ymin: 2, xmax: 3, ymax: 4 };
const reading = ReadMeterResponse.fromPartial({
  meterNumber: '0047',
  value: '004.7',
  unit: 'm3',
  confidence: 0.9,
  status: ReadingStatus.CHECK,
  warnings: [ReadingWarning.GLARE],
  boundingBox: box,
  digits: [{ digit: '0', confidence: 0.8, boundingBox: box }],
  details: { model },
});
const readingOfRest = {
  meter_number: '0047',
  value: '004.7',
  unit: 'm3',
  confidence: 0.9,
  status: 'check',
  warnings: ['GLARE'],
  bbox: box,
  polygon: [],
  digits: [{ digit: '0', confidence: 0.8, bbox: box, polygon: [] }],
  model,
};

test('a line has what REST says of faces, and of a meter', async () => {
  const at = (x: number) => ({ x, y: 0 });
  const faces = DetectAllFacesResponse.fromPartial({
    faces: [
      {
        boundingBox: box,
        detectionScore: 0.5,
        landmarks: { rightEye: at(1), leftEye: at(2), noseTip: at(3), rightMouthCorner: at(4), leftMouthCorner: at(5) },
      },
      { boundingBox: box, detectionScore: 0.123457 },
    ],
    omittedFaces: 2,
    details: { model },
  });
  const [{ members } = {}] = await answersOf('faces', { streamDetectFaces: () => answered(faces) });
  assert.deepEqual(members, {
    result: [
      {
        bbox: box,
        detection_score: '0.5000',
        landmarks: {
          right_eye: at(1),
          left_eye: at(2),
          nose_tip: at(3),
          right_mouth_corner: at(4),
          left_mouth_corner: at(5),
        },
      },
      { bbox: box, detection_score: '0.123457' },
    ],
    omitted_faces: 2,
    model,
  });
  const [meter] = await answersOf('meters', { streamReadMeters: () => answered(reading) });
  assert.deepEqual(meter?.members, readingOfRest);
});

test('the line of several photos says what each shows, and a refusal costs a line where it is about them', async () => {
  const photos = [
    { agrees: true, value: '004.7', confidence: 0.9, status: ReadingStatus.OK },
    { agrees: false, refusal: 'NO_READING' },
  ];
  const fused = FuseMeterReadingsResponse.fromPartial({ reading, bestPhoto: 0, photos });
  const [line] = await answersOf('fused', { fuseMeterReadings: () => Promise.resolve(fused) });
  assert.deepEqual(line?.members, {
    ...readingOfRest,
    best_photo: 0,
    photos: [
      { file: 'a.jpg', agrees: true, value: '004.7', confidence: 0.9, status: 'ok', warnings: [] },
      { file: 'b.jpg', agrees: false, refusal: 'NO_READING' },
    ],
  });

  const refuse = (code: string) => () =>
    Promise.reject(new RefusedError('no', { reason: 'INVALID_FIELD', code, details: {} }));
  const [refused] = await answersOf('fused', { fuseMeterReadings: refuse('INVALID_ARGUMENT') });
  assert.deepEqual(refused?.members, { error: { code: 'INVALID_ARGUMENT', reason: 'INVALID_FIELD', message: 'no' } });
  for (const code of ['UNAVAILABLE', 'UNAUTHENTICATED'])
    await assert.rejects(answersOf('fused', { fuseMeterReadings: refuse(code) }), { code });
});
