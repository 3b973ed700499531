import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, credentials } from '@grpc/grpc-js';
import { keepDrainingCalls } from '../../../rest-facade/grpc-js-patches/keep-draining-calls.js';
import { eventually } from '../../helpers/eventually.js';
import { holdAnswers } from '../answers.js';
import { callFakeCore, type FakeCore, startFakeCore } from '../fake-core.js';

const pingMs = 50;

for (const [what, leave] of [
  ['a core that drains', (core: FakeCore) => void core.leave()],
  ['a client that is closed', (_: FakeCore, client: Client) => client.close()],
] as const)
  test(`a call of ${what} is answered, however many pings later`, async (t) => {
    keepDrainingCalls();
    const { script, answer: release } = holdAnswers();
    const core = await startFakeCore(t, script);
    const client = new Client(`127.0.0.1:${core.port}`, credentials.createInsecure(), {
      'grpc.keepalive_time_ms': pingMs,
      'grpc.keepalive_permit_without_calls': 1,
    });
    t.after(() => client.close());
    const answer = callFakeCore(client);
    answer.catch(() => undefined);
    await eventually(() => core.calls.length === 1, 20_000);
    leave(core, client);
    await sleep(10 * pingMs);
    release();
    assert.ok(await answer);
  });
