import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { collectLog } from '../../helpers/collect-log.js';
import { detect } from '../../helpers/service/scripted-service.js';
import { startService } from '../../helpers/service/service.js';

test('a picture of almost nothing but metadata ends no worker, also where pictures may be larger', async (t) => {
  const log = collectLog();
  const bytes = String(25 * 2 ** 20);
  const service = await startService(t, { CORE_MAX_IMAGE_BYTES: bytes, REST_MAX_IMAGE_BYTES: bytes }, log.log);
  const blank = sharp({ create: { width: 64, height: 64, channels: 3, background: 'grey' } });
  // The one letter that is none of Latin-1 makes a string of two bytes a character.
  const picture = await blank
    .withXmp(`<x>中${'a'.repeat(25_000_000)}</x>`)
    .webp()
    .toBuffer();
  const answer = await detect(service, picture);
  assert.equal(answer.reason, 'NO_FACE');
  assert.ok(!log.entries.some(({ msg }) => msg === 'worker lost'));
});
