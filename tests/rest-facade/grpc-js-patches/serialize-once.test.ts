import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  FuseMeterReadingsRequest,
  StreamReadMetersRequest,
} from '../../../generated/imageanalysis/v1/meter_reading.js';
import { loadRpcs } from '../../../rest-facade/protos/rpcs.js';

/** As grpc-js makes it: five bytes, then the message. */
function frame(message: Buffer): Buffer {
  const bytes = Buffer.alloc(5 + message.length);
  message.copy(bytes, 5);
  return bytes.subarray(5);
}

const serializerOf = (name: string) => loadRpcs().find(({ method }) => method.name === name)!.requestSerialize;

test('a picture is copied into its frame and nowhere else', () => {
  const picture = Buffer.alloc(100_000, 1);
  const later = serializerOf('StreamReadMeters')({ id: 'é'.repeat(50), request: { image: picture, details: true } });
  const other = serializerOf('FuseMeterReadings')({ images: [Buffer.from('a'), picture] });
  // So it can still be changed.
  picture.fill(2);
  const { images } = FuseMeterReadingsRequest.decode(frame(other));
  assert.deepEqual(images, [Buffer.from('a'), picture]);
  const { id, request } = StreamReadMetersRequest.decode(frame(later));
  assert.deepEqual([id, request?.details, request?.image], ['é'.repeat(50), true, picture]);
});
