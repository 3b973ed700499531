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
const scores: Record<string, number> = { 'yunet-n': 0.65 };

for (const name of ['face-detector', 'yunet-n']) {
  const skip = name === 'yunet-n' && !existsSync(downloaded) && 'not downloaded: `make models`';
  test(`${name} serves when it is chosen, and says so`, { skip }, async (t) => {
    const service = await startService(t, { CORE_FACE_MODEL: name });
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
    assert.equal(answer.details?.model?.name, name);
    const score = scores[name];
    if (score !== undefined) assert.equal(answer.details.threshold?.value, score);
    // Where the face is, read off the picture by eye.
    const { xmin = 0, ymin = 0, xmax = 0, ymax = 0 } = answer.face?.boundingBox ?? {};
    assert.ok(Math.abs((xmin + xmax) / 2 - 226) < 15 && Math.abs((ymin + ymax) / 2 - 121) < 20);
    assert.ok(answer.face?.landmarks?.noseTip);
  });
}
