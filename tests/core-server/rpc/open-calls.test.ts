import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ServerInterceptingCallInterface, type ServerMethodDefinition, status } from '@grpc/grpc-js';
import { limitOpenCalls, maxCalls } from '../../../core-server/rpc/interceptors/open-calls.js';

type Listener = Parameters<ServerInterceptingCallInterface['start']>[0];

test('calls of one address leave places for others, and for health', () => {
  const intercept = limitOpenCalls(new AbortController().signal);
  const open = (path: string, address = '192.0.2.1') => {
    const ended: { code?: status | undefined; close?: () => void } = {};
    const call = {
      stream: { session: { socket: { remoteAddress: address } } },
      start: (listener: Listener) => (ended.close = () => listener.onCancel()),
      sendStatus: ({ code }: { code?: status }) => (ended.code = code),
    };
    const method = { path, responseStream: true } as ServerMethodDefinition<unknown, unknown>;
    const listener = { onReceiveMetadata: () => undefined, onCancel: () => undefined };
    intercept(method, call as unknown as ServerInterceptingCallInterface).start(listener as unknown as Listener);
    return ended;
  };
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
