import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadMeterRequest } from '../../../generated/imageanalysis/v1/meter_reading.js';
import { createGrpcSender } from '../../fuzz/send.js';
import { createHostileFiles } from '../../helpers/pictures/hostile-pictures.js';
import { launchService } from '../../helpers/service/launched-service.js';
import { mainThreadMs } from '../../helpers/thread-cost.js';

const path = '/imageanalysis.v1.MeterReadingService/ReadMeter';
/** What the core's main thread may do for a picture, whatever the picture makes its parsers do. */
const maxMs = 50;
const bytes = 1e6;

test('no picture keeps the main thread busy, whatever it contains', async (t) => {
  const service = await launchService({});
  t.after(() => service.stop());
  const grpc = createGrpcSender(service.grpcAddress, service.demo.apiKey);
  t.after(() => grpc.close());
  const cost = () => mainThreadMs(service.pids()['core']);
  if (cost() === undefined) return t.skip('this system does not count the time of threads');

  const costs: { readonly name: string; readonly ms: number; readonly tally: string }[] = [];
  for (const { name, bytes: image } of createHostileFiles(bytes)) {
    const message = Buffer.from(ReadMeterRequest.encode({ image }).finish());
    // Again if it is too much: a collection or a compilation may fall into one of them; the picture's own cost is in each.
    let [least, tally] = [Infinity, ''];
    for (let round = 0; round < 3 && !(least <= maxMs); round += 1) {
      const before = cost() ?? 0;
      const outcome = await grpc.send({ kind: name, path, message });
      assert.equal(outcome.problem, undefined, name);
      tally = outcome.tally;
      least = Math.min(least, (cost() ?? Infinity) - before);
    }
    costs.push({ name, ms: least, tally });
  }
  assert.ok(costs.length > 50);
  const dear = costs.filter(({ ms }) => !(ms <= maxMs));
  assert.deepEqual(dear, []);
  costs.sort((a, b) => b.ms - a.ms);
  t.diagnostic(`the dearest: ${JSON.stringify(costs.slice(0, 3))}`);
});
