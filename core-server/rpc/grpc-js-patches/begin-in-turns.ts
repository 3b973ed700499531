import type { Http2Server, Http2Session, ServerHttp2Stream } from 'node:http2';
import { createTurns } from '../../../runtime/limits/turns.js';
import { callerOf } from './caller-of.js';

type Listener = (stream: ServerHttp2Stream, ...call: readonly unknown[]) => void;

/** A call until its turn comes, or its stream is closed: with its headers, it would stay as long as the stream. */
interface Waiting {
  call: Parameters<Listener> | undefined;
}

/**
 * Hands calls to grpc-js in turns, one per turn of the event loop. What waits is no more than an HTTP/2 stream, of which a
 * connection may have so many open.
 *
 * - Gains: all calls that had arrived were begun in one turn. After 228 of them came on each of 150 connections, a new
 *   client's health check took 7 s, and 2.6 with this (a busy machine of two processors).
 * - Costs: it takes the place of grpc-js's listener for streams.
 * - Delete when grpc-js begins calls in turns.
 */
export function beginInTurns(server: Http2Server): void {
  const listeners = server.listeners('stream') as Listener[];
  server.removeAllListeners('stream');
  const turns = createTurns<Http2Session>(callerOf);
  const begin = (waiting: Waiting): void => {
    const { call } = waiting;
    waiting.call = undefined;
    // Its caller may have gone in the meantime.
    if (call && !call[0].destroyed) for (const listener of listeners) listener.apply(server, call);
  };
  server.on('stream', (...call) => {
    const [stream] = call;
    // grpc-js listens once it has begun.
    stream.on('error', () => undefined);
    const waiting: Waiting = { call };
    // What has arrived for it does not count any more, up to a mebibyte of each stream.
    stream.once('close', () => (waiting.call = undefined));
    if (stream.session) turns.take(stream.session, () => begin(waiting));
  });
}
