import type { Metadata } from '@grpc/grpc-js';
import type { Refusal } from '../../runtime/errors/refusal.js';
import { createSymbolProperty } from '../../runtime/node-patches/symbol-property.js';

/** What interceptors learn of a call, for the handler. */
interface CallState {
  /** Of each of its log lines. */
  requestId?: string;
  /** The caller's, or that of the client of a trusted proxy. */
  clientAddress?: string;
  /** Public id of the API key that it came with; as the caller claims it until the key is checked. */
  keyId?: string | undefined;
  /**
   * Counts a request towards the rate of the key, and in a stream checks the key again; rejects with a refusal. That of a
   * unary call was admitted on arrival.
   */
  admitRequest?: () => Promise<void>;
  /** W3C `traceparent` of the call, if it is traced. */
  trace?: string | undefined;
  /** Why an interceptor refused the call, which it has answered and logged, possibly after the handler had started. */
  refused?: Refusal;
}

/** Interceptors and handlers of a call have its metadata in common, in which only texts can travel. */
const states = createSymbolProperty<Metadata, CallState>();

export function stateOf(metadata: Metadata): CallState {
  const state = states.get(metadata) ?? {};
  states.set(metadata, state);
  return state;
}
