import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { singleFlight } from '../../../../core-server/access/limits/single-flight.js';
import { deferred } from '../../../helpers/deferred.js';

/** A store whose looks end when the test says so. */
function openStore() {
  const looks: { id: string; answer: ReturnType<typeof deferred<string>> }[] = [];
  const find = singleFlight((id: string) => {
    const answer = deferred<string>();
    looks.push({ id, answer });
    return answer.promise;
  });
  return { looks, find };
}

test('who asks while a look is under way shares the next one, which begins after it', async () => {
  const { looks, find } = openStore();
  const first = find('a');
  const late = [find('a'), find('a'), find('a')];
  await nextTurn();
  assert.equal(looks.length, 1);
  looks[0]?.answer.resolve('before');
  assert.equal(await first, 'before');
  await nextTurn();
  assert.equal(looks.length, 2);
  const later = find('a');
  looks[1]?.answer.resolve('after');
  assert.deepEqual(await Promise.all(late), ['after', 'after', 'after']);
  await nextTurn();
  looks[2]?.answer.resolve('last');
  assert.equal(await later, 'last');
  assert.equal(looks.length, 3);
});

test('who asks between two looks shares the one to come', async () => {
  const { looks, find } = openStore();
  const asked = [find('a'), find('a')];
  looks[0]?.answer.resolve('before');
  await asked[0];
  asked.push(find('a'));
  await nextTurn();
  assert.equal(looks.length, 2);
  looks[1]?.answer.resolve('after');
  assert.deepEqual(await Promise.all(asked), ['before', 'after', 'after']);
});

test('ids do not wait for each other', async () => {
  const { looks, find } = openStore();
  const [a, b] = [find('a'), find('b')];
  assert.deepEqual(
    looks.map(({ id }) => id),
    ['a', 'b'],
  );
  looks[1]?.answer.resolve('b');
  assert.equal(await b, 'b');
  looks[0]?.answer.resolve('a');
  assert.equal(await a, 'a');
});

test('owners do not wait for each other', async () => {
  const { looks, find } = openStore();
  const [, other] = [find('a', 'flood'), find('a', 'other')];
  looks[1]?.answer.resolve('a');
  assert.equal(await other, 'a');
});

test('a look that fails fails for those who shared it, not for the next ones', async () => {
  const { looks, find } = openStore();
  const first = find('a');
  const second = find('a');
  looks[0]?.answer.reject(new Error('broken'));
  await assert.rejects(first, /broken/);
  await nextTurn();
  looks[1]?.answer.resolve('well');
  assert.equal(await second, 'well');
});

test('a look that has ended is forgotten: made-up ids would fill the memory', async () => {
  const { looks, find } = openStore();
  const first = find('a');
  looks[0]?.answer.resolve('a');
  await first;
  void find('a');
  // At once: one that is still kept would be waited for.
  assert.equal(looks.length, 2);
});
