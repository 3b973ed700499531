import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import { callerAddress } from '../../../runtime/net/addresses.js';
import { createSymbolProperty } from '../../../runtime/node-patches/symbol-property.js';

const callers = createSymbolProperty<Http2Session, string>();

/** The address by which the caller of a stream is counted; empty when its connection is gone. */
export function callerOf({ session }: ServerHttp2Stream): string {
  if (session === undefined || session.destroyed) return '';
  const caller = callers.get(session) ?? callerAddress(session.socket.remoteAddress ?? '');
  callers.set(session, caller);
  return caller;
}
