import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGrpcServing } from '../../../launcher/is-serving.js';
import { collectLog, type LogEntry } from '../../helpers/collect-log.js';
import { deferred } from '../../helpers/deferred.js';
import { eventually } from '../../helpers/eventually.js';
import { readSample } from '../../helpers/pictures/samples.js';
import { killableWorkerUrl, openStage, scriptedPicture } from '../../helpers/pictures/scripted-pictures.js';
import { detect, readMeter, reasonOf, startScripted } from '../../helpers/service/scripted-service.js';
import { startService } from '../../helpers/service/service.js';

// The service around its inference workers: what happens when one dies, and while they work.

const isEndOfDetection = ({ method, msg }: LogEntry) =>
  String(method).endsWith('/DetectSingleFace') && msg !== 'call received';

test('a real worker that dies in its job: the request is tried again and answered', async (t) => {
  const stage = openStage(t);
  const log = collectLog();
  const service = await startService(t, {}, log.log, killableWorkerUrl);
  const answered = detect(service, await readSample('astronaut.jpg'));
  await stage.waitForBegun(1);
  stage.release('detectFaces');
  const first = await answered;
  assert.equal(first.status, 200);
  assert.ok(Number(first.detection_score) > 0.5);
  const loss = await log.waitFor(({ msg }) => msg === 'worker lost');
  assert.equal(loss['request_id'], (await log.waitFor(isEndOfDetection))['request_id']);
  assert.deepEqual(stage.begun, ['detectFaces', 'detectFaces']);
  assert.equal((await detect(service, await readSample('astronaut.jpg'))).status, 200);
});

test('a worker that is busy with one picture for twice the deadline is replaced', async (t) => {
  const { service } = await startScripted(t, { CORE_MAX_DEADLINE_MS: '1000' });
  assert.equal(await reasonOf(readMeter(service, scriptedPicture('stuck', 'wait'))), 'DEADLINE');
  await eventually(async () => (await reasonOf(readMeter(service, scriptedPicture('next')))) === 'NO_READING');
});

test('while no worker can be started the core is not healthy and refuses at once, and serves again later', async (t) => {
  const { stage, service } = await startScripted(t);
  stage.bar(true);
  assert.equal(await reasonOf(readMeter(service, scriptedPicture('a', 'exit'))), 'WORKER_LOST');
  assert.equal(await isGrpcServing(service.grpc), false);
  assert.equal((await fetch(`${service.rest}/readyz`)).status, 503);
  assert.equal(await reasonOf(readMeter(service, scriptedPicture('b'))), 'WORKER_LOST');
  const overRest = await detect(service, scriptedPicture('c'));
  assert.deepEqual([overRest.status, overRest.reason], [503, 'WORKER_LOST']);
  stage.bar(false);
  await eventually(() => isGrpcServing(service.grpc));
  assert.equal(await reasonOf(readMeter(service, scriptedPicture('d'))), 'NO_READING');
  assert.deepEqual(stage.begun, ['a', 'd']);
});

test('a caller is told when a worker has its picture, and not before', async (t) => {
  const { stage, service, received } = await startScripted(t);
  const running = reasonOf(readMeter(service, scriptedPicture('running', 'wait')));
  await stage.waitForBegun(1);
  const told = deferred();
  let isTold = false;
  const onBegun = () => {
    isTold = true;
    told.resolve();
  };
  const next = reasonOf(readMeter(service, scriptedPicture('next', 'wait'), { onBegun }));
  await received(2);
  // A round trip more, in which it would have been told.
  const noPicture = readMeter(service, Buffer.from('no picture'));
  assert.equal(await reasonOf(noPicture), 'UNSUPPORTED_IMAGE_TYPE');
  assert.equal(isTold, false);
  stage.release('running');
  await told.promise;
  stage.release('next');
  assert.deepEqual(await Promise.all([running, next]), ['NO_READING', 'NO_READING']);
});
