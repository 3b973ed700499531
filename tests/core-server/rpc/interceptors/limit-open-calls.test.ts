import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { type ServerInterceptingCallInterface, type ServerMethodDefinition, status } from '@grpc/grpc-js';
import { linkToStream } from '../../../../core-server/rpc/grpc-js-patches/refuse-stream.js';
import {
  limitOpenCalls,
  maxCalls,
  maxKeylessCalls,
} from '../../../../core-server/rpc/interceptors/limit-open-calls.js';

type Listener = Parameters<ServerInterceptingCallInterface['start']>[0];

const never = new AbortController().signal;

function createOpen(closing = never, ending = never) {
  const intercept = limitOpenCalls(closing, ending);
  return (path: string, address = '192.0.2.1', responseStream = true) => {
    const ended: { code?: status | undefined; close?: () => void } = {};
    const call = {
      stream: { session: { socket: { remoteAddress: address } } },
      start: (listener: Listener) => (ended.close = () => listener.onCancel()),
      sendStatus: ({ code }: { code?: status }) => (ended.code = code),
    } as unknown as ServerInterceptingCallInterface;
    linkToStream(call, ({ code }) => (ended.code = code));
    const method = { path, responseStream } as ServerMethodDefinition<unknown, unknown>;
    const listener = { onReceiveMetadata: () => undefined, onCancel: () => undefined };
    intercept(method, call).start(listener as unknown as Listener);
    return ended;
  };
}

test('calls of one address leave places for others, and for health', () => {
  const open = createOpen();
  const stream = '/imageanalysis.v1.MeterReadingService/StreamReadMeters';
  const calls = Array.from({ length: (maxCalls * 4) / 5 }, () => open(stream));
  assert.deepEqual(new Set(calls.map(({ code }) => code)), new Set([undefined]));
  const refused = open(stream);
  assert.equal(refused.code, status.RESOURCE_EXHAUSTED);
  // It has no place to give back.
  refused.close?.();
  assert.equal(open(stream).code, status.RESOURCE_EXHAUSTED);
  assert.equal(open(stream, '192.0.2.2').code, undefined);
  assert.equal(open('/grpc.health.v1.Health/Check').code, undefined);
  for (const { close } of calls.splice(0, 2)) close?.();
  assert.equal(open(stream).code, undefined);
});

test('whoever watches the health, or begins to check it, leaves places for those who check it', () => {
  const open = createOpen();
  const watch = (address: number) => open('/grpc.health.v1.Health/Watch', `192.0.2.${address}`).code;
  for (let address = 1; address <= 6; address += 1) while (watch(address) === undefined);
  assert.equal(watch(7), status.RESOURCE_EXHAUSTED);

  const check = () => open('/grpc.health.v1.Health/Check', '192.0.2.7', false);
  const begun = Array.from({ length: maxKeylessCalls }, check);
  begun[1]?.close?.();
  const most = [check(), check(), check()];
  const ended = [...begun, ...most].map(({ code }) => code !== undefined);
  assert.deepEqual(ended, [true, false, true, ...Array<boolean>(maxKeylessCalls).fill(false)]);
});

test('health watches end as the server closes, at once if they come then, and others as it ends', () => {
  const [closing, ending] = [new AbortController(), new AbortController()];
  const open = createOpen(closing.signal, ending.signal);
  const paths = ['/grpc.health.v1.Health/Watch', '/imageanalysis.v1.MeterReadingService/StreamReadMeters'];
  const calls = paths.map((path) => open(path));
  closing.abort();
  calls.push(...paths.map((path) => open(path)));
  const codes = () => calls.map(({ code }) => code);
  assert.deepEqual(codes(), [status.UNAVAILABLE, undefined, status.UNAVAILABLE, undefined]);
  ending.abort();
  assert.deepEqual(codes(), Array(4).fill(status.UNAVAILABLE));
  for (const { close } of calls) close?.();
  for (const { signal } of [closing, ending]) assert.deepEqual(getEventListeners(signal, 'abort'), []);
});
