import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGrpcCase } from '../../fuzz/grpc-cases.js';
import { createHttpCase } from '../../fuzz/http-cases.js';
import { createPicturePicker } from '../../fuzz/picture-picker.js';
import { createPictures } from '../../fuzz/pictures.js';
import { createRandom } from '../../fuzz/random.js';
import { createGrpcSender, type Outcome, sendHttp } from '../../fuzz/send.js';
import { startService } from '../../helpers/service/service.js';

// A sweep of the fuzzer's inputs, the same ones each time: whatever comes in, nothing comes out that
// the table of errors does not list. `make fuzz` sends as many as one likes.

const count = 800;
const concurrency = 16;
/** Apart from those of `make fuzz`. */
const seed = 20_000_003;

test(`${count} hostile inputs bring about listed answers only`, async (t) => {
  // What promises more than it sends is ended soon; nothing else comes near it.
  const service = await startService(t, { REST_REQUEST_TIMEOUT_MS: '20000' });
  const grpc = createGrpcSender(service.grpc, service.apiKey);
  t.after(() => grpc.close());
  const port = Number(new URL(service.rest).port);
  const pictures = createPicturePicker(await createPictures());
  const material = { apiKey: service.apiKey, pictures };

  const send = async (index: number): Promise<Outcome & { kind: string }> => {
    const random = createRandom(seed + index);
    if (random.chance(0.3)) {
      const input = createGrpcCase(random, material);
      return { kind: input.kind, ...(await grpc.send(input)) };
    }
    const input = createHttpCase(random, material);
    return { kind: input.kind, ...(await sendHttp(port, input)) };
  };

  const tallies = new Map<string, number>();
  const problems: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const { kind, tally, problem } = await send(index);
      tallies.set(tally, (tallies.get(tally) ?? 0) + 1);
      if (problem !== undefined) problems.push(`input ${index} (${kind}): ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  assert.deepEqual(problems, []);
  // The inputs went deep: some were answered, and refusals of both protocols are among the rest.
  for (const tally of ['HTTP 200 ', 'HTTP 400 INVALID_FIELD', 'gRPC OK', 'gRPC INVALID_FIELD'])
    assert.ok(tallies.has(tally), `${tally} is not in ${JSON.stringify([...tallies])}`);
});
