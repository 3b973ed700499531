import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { isGrpcServing } from '../../../launcher/is-serving.js';
import { scriptedPicture } from '../../helpers/pictures/scripted-pictures.js';
import { detect, readMeter, reasonOf, startScripted } from '../../helpers/service/scripted-service.js';
import type { TestService } from '../../helpers/service/service.js';

// More work than one worker can do. `make overload` measures what these tests hold in principle.

/** The status of a call whose message never comes. */
function callWithoutMessage(service: TestService): Promise<string> {
  const session = connect(`http://${service.grpc}`);
  const stream = session.request(
    {
      ':method': 'POST',
      ':path': '/imageanalysis.v1.MeterReadingService/ReadMeter',
      'content-type': 'application/grpc',
      te: 'trailers',
      apikey: service.apiKey,
    },
    { endStream: false },
  );
  return new Promise<string>((resolve, reject) => {
    stream.on('response', (headers) => resolve(String(headers['grpc-status'])));
    stream.on('error', reject);
    stream.resume();
  }).finally(() => session.destroy());
}

const resourceExhausted = '8';

test('a full queue refuses before a picture is read, but not what needs no worker, and is healthy', async (t) => {
  const { stage, service, received } = await startScripted(t, { CORE_MAX_QUEUE: '2' });
  const accepted = ['a', 'b', 'c'].map((name) => reasonOf(readMeter(service, scriptedPicture(name, 'wait'))));
  await stage.waitForBegun(1);
  await received(3);
  assert.equal(await callWithoutMessage(service), resourceExhausted);
  assert.equal(await reasonOf(readMeter(service, scriptedPicture('probe'))), 'QUEUE_FULL');
  const overRest = await detect(service, scriptedPicture('probe'));
  assert.deepEqual([overRest.status, overRest.reason], [429, 'QUEUE_FULL']);
  assert.equal(await isGrpcServing(service.grpc), true);
  assert.equal((await fetch(`${service.rest}/readyz`)).status, 200);
  const login = 'company=unknown&password=unknown';
  const headers = { apikey: service.apiKey };
  const scores = await fetch(`${service.rest}/face_config_score?detection&${login}`, { headers });
  const { reason } = (await scores.json()) as { reason: string };
  assert.equal(reason, 'COMPANY_AUTH_FAILED');
  assert.deepEqual(stage.begun, ['a']);
  stage.release('a', 'b', 'c');
  assert.deepEqual(await Promise.all(accepted), ['NO_READING', 'NO_READING', 'NO_READING']);
});

test('the flood of one key leaves places to another, and they take turns', async (t) => {
  const { stage, service, received } = await startScripted(t, { CORE_MAX_QUEUE: '10' });
  const other = await service.createKey();
  const send = (name: string, apiKey: string) =>
    reasonOf(readMeter(service, scriptedPicture(name, 'wait'), { apiKey }));
  const names = Array.from({ length: 9 }, (_, i) => `flood ${i}`);
  const flood: Promise<string>[] = [];
  for (const name of names) {
    flood.push(send(name, service.apiKey));
    await received(flood.length);
  }
  assert.equal(await send('refused', service.apiKey), 'QUEUE_FULL');
  const others = [send('other', other.secret)];
  await received(10);
  stage.release(...names, 'other');
  assert.deepEqual(await Promise.all([...flood, ...others]), Array(10).fill('NO_READING'));
  assert.deepEqual(stage.begun.slice(0, 4), ['flood 0', 'flood 1', 'other', 'flood 2']);
});
