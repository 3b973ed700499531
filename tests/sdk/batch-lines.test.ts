import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBatchLines } from '../../sdk/typescript/batch-lines.js';

const lines = [
  { index: 1, filename: 'ж.jpg', answer: { value: '1'.repeat(100) } },
  { index: 0, filename: '😀.jpg', answer: { value: '2' } },
];
const bytes = new TextEncoder().encode(
  lines.map(({ answer, ...line }) => `${JSON.stringify({ ...line, ...answer })}\n`).join(''),
);

async function read(sent: Uint8Array, chunkBytes: number) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < sent.length; at += chunkBytes) controller.enqueue(sent.slice(at, at + chunkBytes));
      controller.close();
    },
  });
  const found = [];
  for await (const line of readBatchLines(body, undefined)) found.push(line);
  return found;
}

test('the lines of a batch are read whatever chunks they come in', async () => {
  for (const chunkBytes of [1, 2, 7, bytes.indexOf(0x0a), bytes.indexOf(0x0a) + 1, bytes.length])
    assert.deepEqual(await read(bytes, chunkBytes), lines, `${chunkBytes} bytes each`);
});

test('a line that is refused for a while says for how long', async () => {
  const line = { index: 0, filename: 'a', code: 'RESOURCE_EXHAUSTED', details: { retry_after: '7' } };
  const [refused] = await read(new TextEncoder().encode(`${JSON.stringify(line)}\n`), 100);
  assert.equal(refused?.refusal?.retryAfterSeconds, 7);
});

test('a batch that ends within a line is no whole one', async () => {
  for (const chunkBytes of [1, bytes.length])
    await assert.rejects(read(bytes.slice(0, -1), chunkBytes), /the batch ends within a line/);
});
