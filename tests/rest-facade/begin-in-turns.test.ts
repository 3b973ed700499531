import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beginInTurns } from '../../rest-facade/begin-in-turns.js';

function setUp() {
  const begun: string[] = [];
  const handle = beginInTurns(({ url = '' }) => void begun.push(url));
  const arrive = (name: string) => {
    const request = Object.assign(new IncomingMessage(new Socket()), { url: name });
    const response = new ServerResponse(request);
    handle(request, response);
    return response;
  };
  return { begun, arrive };
}

test('one request is begun a turn, first come first served', async () => {
  const { begun, arrive } = setUp();
  for (const name of ['a', 'b', 'c']) arrive(name);
  assert.deepEqual(begun, ['a']);
  await nextTurn();
  assert.deepEqual(begun, ['a', 'b']);
  arrive('d');
  await nextTurn();
  assert.deepEqual(begun, ['a', 'b', 'c']);
  await nextTurn();
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
});

test('a request that comes alone is begun at once', async () => {
  const { begun, arrive } = setUp();
  arrive('a');
  await nextTurn();
  arrive('b');
  assert.deepEqual(begun, ['a', 'b']);
});

test('a request whose caller has gone while it waited is not begun', async () => {
  const { begun, arrive } = setUp();
  arrive('a');
  const gone = arrive('b');
  arrive('c');
  Object.defineProperty(gone, 'closed', { value: true });
  await nextTurn();
  await nextTurn();
  assert.deepEqual(begun, ['a', 'c']);
});
