import type { Http2Session } from 'node:http2';
import { callerAddress } from '../../../runtime/net/addresses.js';
import { createSymbolProperty } from '../../../runtime/node-patches/symbol-property.js';

const callers = createSymbolProperty<Http2Session, string>();

/** The address by which the caller on a connection is counted; empty when it is gone. */
export function callerOf(session: Http2Session | undefined): string {
  if (session === undefined || session.destroyed) return '';
  const caller = callers.get(session) ?? callerAddress(session.socket.remoteAddress);
  callers.set(session, caller);
  return caller;
}
