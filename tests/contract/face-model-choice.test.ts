import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import {
  type DetectSingleFaceResponse,
  FaceDetectionServiceClient,
} from '../../generated/imageanalysis/v1/face_detection.js';
import { metadataWithKey, unaryCall } from '../helpers/net/grpc.js';
import { readSample } from '../helpers/pictures/samples.js';
import { startService } from '../helpers/service/service.js';

// CORE_FACE_MODEL: another detector behind the same calls.

const downloaded = new URL('../../../models/face/yunet_n_dynamic.onnx', import.meta.url);
const skip = !existsSync(downloaded) && 'not downloaded: `make models`';

test('yunet-n serves when it is chosen, and says so', { skip }, async (t) => {
  const service = await startService(t, { CORE_FACE_MODEL: 'yunet-n' });
  const client = new FaceDetectionServiceClient(service.grpc, credentials.createInsecure());
  t.after(() => client.close());
  const image = await readSample('astronaut.jpg');
  const answer = await unaryCall<DetectSingleFaceResponse>((done) =>
    client.detectSingleFace(
      { image, company: '', landmarks: true, crop: false, details: true },
      metadataWithKey(service.apiKey),
      done,
    ),
  );
  assert.deepEqual([answer.details?.model?.name, answer.details?.threshold?.value], ['yunet-n', 0.65]);
  // Where the face is, read off the picture by eye.
  const { xmin = 0, ymin = 0, xmax = 0, ymax = 0 } = answer.face?.boundingBox ?? {};
  assert.ok(Math.abs((xmin + xmax) / 2 - 226) < 15 && Math.abs((ymin + ymax) / 2 - 121) < 20);
  assert.ok(answer.face?.landmarks?.noseTip);
});
