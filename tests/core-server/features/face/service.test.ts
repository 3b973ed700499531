import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import type { Call } from '../../../../core-server/common/call.js';
import { createFaceDetectionHandlers } from '../../../../core-server/features/face/service.js';
import type {
  DetectFacesInput,
  DetectFacesOutput,
  RedactFacesInput,
} from '../../../../core-server/features/face/task.js';
import type { RunOptions } from '../../../../core-server/inference/pool/worker-pool.js';
import { type DetectAllFacesRequest, ThresholdSource } from '../../../../generated/imageanalysis/v1/face_detection.js';
import type { Reason } from '../../../../runtime/errors/reasons.js';
import { refuse } from '../../../../runtime/errors/refusal.js';

const png = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
const limits = { maxBytes: 100, maxPixels: 1000, maxSide: 100 };
const call: Call = {
  signal: new AbortController().signal,
  timeLeftMs: () => 30_000,
  keyId: 'k1',
  clientAddress: '127.0.0.1',
  reportStart: () => undefined,
  log: pino({ level: 'silent' }),
};
const request = (changes: Partial<DetectAllFacesRequest> = {}): DetectAllFacesRequest => ({
  image: png,
  company: '',
  landmarks: false,
  details: false,
  ...changes,
});
const face = {
  boundingBox: { xmin: 1, ymin: 2, xmax: 3.5, ymax: 4.25 },
  detectionScore: 0.9731,
  cropJpeg: Uint8Array.of(0xff, 0xd8),
  landmarks: undefined,
  attributes: undefined,
};
const foundNothing: DetectFacesOutput = { width: 40, height: 30, faces: [], omittedFaces: 0, timings: {} };

function start(found: Partial<DetectFacesOutput> = {}) {
  const jobs: { task: string; input: DetectFacesInput; options: RunOptions }[] = [];
  const wishes: unknown[] = [];
  const handlers = createFaceDetectionHandlers({
    pool: {
      run(task, input, options) {
        jobs.push({ task, input: input as DetectFacesInput, options });
        return Promise.resolve({ ...foundNothing, ...found });
      },
    },
    resolveThreshold(wish) {
      wishes.push(wish);
      if (wish.company === 'nobody') {
        throw refuse('UNKNOWN_COMPANY', 'company is not registered');
      }
      const value = wish.minScore ?? (wish.company === 'low' ? 0.05 : 0.6);
      return Promise.resolve({ value, source: ThresholdSource.COMPANY });
    },
    redactionScore: 0.1,
    limits,
    model: { name: 'm', version: '7' },
  });
  return { handlers, jobs, wishes };
}

test('the picture goes to a worker with the resolved threshold', async () => {
  const { handlers, jobs, wishes } = start({ faces: [face], omittedFaces: 4 });
  const answer = await handlers.detectAllFaces(
    request({ company: 'acme', maxFaces: 7, landmarks: true, crop: false }),
    { ...call, wait: 'queue' },
  );
  assert.deepEqual(wishes, [{ company: 'acme', minScore: undefined }]);
  assert.equal(jobs.length, 1);
  assert.equal(jobs[0]?.task, 'detectFaces');
  assert.deepEqual(jobs[0]?.options, { ...call, wait: 'queue' });
  const { image, ...rest } = jobs[0].input;
  assert.deepEqual(Buffer.from(image.bytes), png);
  assert.deepEqual(rest, {
    minScore: 0.6,
    maxFaces: 7,
    crop: undefined,
    landmarks: true,
    attributes: false,
    minQuality: undefined,
    limits,
  });
  assert.deepEqual(answer, { faces: [face], omittedFaces: 4, details: undefined });
});

const wholeFace = { margin: 0, format: 'jpeg', isAligned: false, size: undefined } as const;

test('crops are wanted and faces are many unless something else is said', async () => {
  const { handlers, jobs } = start({ faces: [face] });
  await handlers.detectAllFaces(request(), call);
  await handlers.detectSingleFace(request(), call);
  assert.deepEqual(
    jobs.map(({ input }) => [input.crop, input.maxFaces, input.landmarks]),
    [
      [wholeFace, 1000, false],
      [wholeFace, 1, false],
    ],
  );
});

test('details tell the size, the threshold with its source, and the model', async () => {
  const { handlers, wishes } = start({ faces: [face] });
  const { details } = await handlers.detectSingleFace(request({ details: true, minScore: 0.25 }), call);
  assert.deepEqual(wishes, [{ company: '', minScore: 0.25 }]);
  assert.deepEqual(details, {
    image: { width: 40, height: 30 },
    threshold: { value: 0.25, source: ThresholdSource.COMPANY },
    model: { name: 'm', version: '7' },
  });
});

test("a redaction takes the lower of the company's score and its own, unless the request has one", async () => {
  const { handlers, jobs } = start();
  for (const wish of [{ company: 'acme' }, { company: 'low' }, { company: 'low', minScore: 0.9 }])
    await handlers.redactFaces({ image: png, ...wish }, call);
  assert.deepEqual(
    jobs.map(({ input }) => input.minScore),
    [0.1, 0.05, 0.9],
  );
});

test('faces are blurred with a fifth around them unless something else is said', async () => {
  const { handlers, jobs } = start();
  await handlers.redactFaces({ image: png, company: '' }, call);
  const { style, margin, format } = jobs[0]?.input as object as RedactFacesInput;
  assert.deepEqual([style, margin, format], ['blur', 0.2, undefined]);
});

test('no face is NO_FACE for one, an empty answer for all', async () => {
  const { handlers } = start();
  await assert.rejects(handlers.detectSingleFace(request(), call), {
    reason: 'NO_FACE',
    message: 'image has no face that scored 0.6 or higher, try a lower min_score',
    details: { field: 'image', limit: '0.6' },
  });
  const ofQuality = handlers.detectSingleFace(request({ minQuality: 0.5 }), call);
  const tried = 'with a quality of 0.5 or higher that scored 0.6 or higher, try a lower min_score or min_quality';
  await assert.rejects(ofQuality, { message: `image has no face ${tried}` });
  const { faces, omittedFaces } = await handlers.detectAllFaces(request(), call);
  assert.deepEqual([faces, omittedFaces], [[], 0]);
});

test('a request out of its ranges is refused, naming field, value and wish, and no worker is asked', async () => {
  const table: [Partial<DetectAllFacesRequest>, Reason, string][] = [
    [
      { minScore: 1.000001 },
      'INVALID_SCORE',
      'min_score is "1.000001", want a number from 0 to 1 with at most 6 decimals',
    ],
    [{ maxFaces: 0 }, 'INVALID_FIELD', 'max_faces is 0, want a whole number from 1 to 1000'],
    [{ maxFaces: 1001 }, 'INVALID_FIELD', 'max_faces is 1001, want a whole number from 1 to 1000'],
    [{ company: 'nobody' }, 'UNKNOWN_COMPANY', 'company is not registered'],
    [{ image: Buffer.alloc(0) }, 'EMPTY_IMAGE', 'image has no bytes, want a picture file'],
    [{ image: Buffer.alloc(101) }, 'BODY_TOO_LARGE', 'image has 101 bytes, want at most 100'],
  ];
  const { handlers, jobs } = start();
  for (const [changes, reason, message] of table) {
    await assert.rejects(handlers.detectAllFaces(request(changes), call), { reason, message });
  }
  assert.deepEqual(jobs, []);
});

test('attributes, quality and crops are asked of the worker, and what is out of range is refused', async () => {
  const { handlers, jobs } = start({ faces: [face] });
  const wish = { attributes: true, minQuality: 0.25, cropAligned: true, margin: 0.5, cropFormat: 'png', cropSize: 64 };
  await handlers.detectSingleFace(request(wish), call);
  const { crop, attributes, minQuality } = jobs[0]?.input ?? {};
  assert.deepEqual(
    { crop, attributes, minQuality },
    { crop: { format: 'png', isAligned: true, margin: 0.5, size: 64 }, attributes: true, minQuality: 0.25 },
  );
  const mistakes: [wish: object, message: string][] = [
    [{ minQuality: 1.5 }, 'min_quality is 1.5, want a number from 0 to 1 with at most 6 decimals'],
    [{ margin: -0.1 }, 'margin is -0.1, want a number from 0 to 1 with at most 6 decimals'],
    [{ cropSize: 15 }, 'crop_size is 15, want a whole number from 16 to 1024'],
    [{ cropSize: 1025 }, 'crop_size is 1025, want a whole number from 16 to 1024'],
    [{ cropFormat: 'gif' }, 'crop_format is "gif", want jpeg, png or webp'],
  ];
  for (const [mistake, message] of mistakes) {
    await assert.rejects(handlers.detectAllFaces(request(mistake), call), { reason: 'INVALID_FIELD', message });
  }
});
