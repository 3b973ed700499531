import http2, { type ClientHttp2Session } from 'node:http2';

type OnPong = (error: Error | null, roundTripMs: number, payload: Buffer) => void;

let isPatched = false;

/**
 * Lets calls go on that are under way when their connection is closed, by a renewal or by a core that drains. On such a
 * connection Node.js sends no pings; grpc-js takes that for a lost one, and ends all its calls.
 *
 * - Gains: a call or batch that outlasted the next keepalive ping was CORE_UNAVAILABLE, some 20 seconds after a renewal, or
 *   at any time while a core drained (grpc/grpc-node#3068).
 * - Costs: it replaces `http2.connect` of the process. That a draining core vanishes is noticed by the calls' deadlines.
 * - Delete when the test passes without it.
 */
export function keepDrainingCalls(): void {
  if (isPatched) return;
  isPatched = true;
  const { connect } = http2;
  const patched = (...given: Parameters<typeof connect>): ClientHttp2Session => {
    const session = connect(...given);
    const ping = session.ping.bind(session);
    const pingUnlessClosing = (onPong: OnPong): boolean => {
      if (!session.closed || session.destroyed) return ping(onPong);
      queueMicrotask(() => onPong(null, 0, Buffer.alloc(8)));
      return true;
    };
    return Object.assign(session, { ping: pingUnlessClosing });
  };
  Object.assign(http2, { connect: patched });
}
