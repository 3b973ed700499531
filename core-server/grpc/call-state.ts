import type { Metadata } from '@grpc/grpc-js';
import { createSlot } from '../../runtime/slot.js';

/** What interceptors learn of a call, for the handler. */
export interface CallState {
  /** Public id of the API key that it came with. */
  keyId?: string;
  /** What is left to be checked of its key. */
  keyChecks?: KeyChecks;
  /** W3C `traceparent` of the call, if it is traced. */
  trace?: string | undefined;
}

/** What remains to be checked about a call's key once the call is let in. */
export interface KeyChecks {
  /** Called before each response, during the work; rejects with a refusal. Absent if nothing remains. */
  readonly confirm?: () => Promise<unknown>;
  /** Counts a request of a stream; rejects with RATE_LIMITED. Absent if the call was counted on arrival. */
  readonly consume?: () => Promise<void>;
}

/** Interceptors and handlers of a call have its metadata in common, in which only texts can travel. */
const slot = createSlot<Metadata, CallState>();

/** The state of the call that came with this metadata. */
export function stateOf(metadata: Metadata): CallState {
  const state = slot.get(metadata) ?? {};
  slot.set(metadata, state);
  return state;
}
