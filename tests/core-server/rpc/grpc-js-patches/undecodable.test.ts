import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markUndecodable, requireDecoded } from '../../../../core-server/rpc/grpc-js-patches/undecodable.js';
import { MeterReadingServiceService, ReadMeterRequest } from '../../../../generated/imageanalysis/v1/meter_reading.js';
import { asRefusal } from '../../../../runtime/errors/refusal.js';

const { readMeter } = markUndecodable(MeterReadingServiceService);

const decode = (bytes: Buffer): unknown => requireDecoded(readMeter?.requestDeserialize(bytes));

const isRefused = (error: unknown): boolean => asRefusal(error).reason === 'INVALID_FIELD';

test('a request is decoded as its sender encoded it', () => {
  const request = ReadMeterRequest.fromPartial({ image: Buffer.alloc(1_000, 7), maxIncrease: '\ufeff1' });
  assert.deepEqual(decode(Buffer.from(ReadMeterRequest.encode(request).finish())), request);
});

test('bytes that are no message are refused', () => {
  assert.throws(() => decode(Buffer.from([0xff])), isRefused);
});

test('a message of more text than any has is refused, in one field or in several', () => {
  const field = (bytes: number) =>
    ReadMeterRequest.encode(ReadMeterRequest.fromPartial({ maxIncrease: '٣'.repeat(bytes / 2) }));
  const decodeAll = (...sizes: number[]) => decode(Buffer.concat(sizes.map((bytes) => field(bytes).finish())));
  assert.doesNotThrow(() => decodeAll(65_536));
  assert.throws(() => decodeAll(65_538), isRefused);
  assert.doesNotThrow(() => decodeAll(32_768, 32_768));
  assert.throws(() => decodeAll(32_768, 32_770), isRefused);
});

test('a message of more fields than any has is refused, whatever they are', () => {
  const fields = {
    'the picture, empty': [0x0a, 0],
    'an unknown number': [0xf8, 0x07, 0],
    'an unknown group': [0xfb, 0x07, 0xfc, 0x07],
    'an unknown group in it': [0xfb, 0x07, 0xfb, 0x07, 0xfc, 0x07, 0xfc, 0x07],
  };
  for (const [what, field] of Object.entries(fields)) {
    const repeated = (times: number) => Buffer.from(Array(times).fill(field).flat() as number[]);
    assert.doesNotThrow(() => decode(repeated(200)), what);
    assert.throws(() => decode(repeated(1_001)), isRefused, what);
  }
  // Each has a tag and a length.
  const pictures = (count: number) => Buffer.alloc(2 * count, Buffer.from([0x0a, 0]));
  assert.doesNotThrow(() => decode(pictures(500)));
  assert.throws(() => decode(pictures(501)), isRefused);
  const oneGroup = [0xfb, 0x07, ...(Array(1_001).fill([0x08, 0]).flat() as number[]), 0xfc, 0x07];
  assert.throws(() => decode(Buffer.from(oneGroup)), isRefused);
});
