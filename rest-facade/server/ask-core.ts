import type { ServerResponse } from 'node:http';
import { noRoom } from '../../runtime/errors/refusal.js';
import type { BudgetShare, FairBudget } from '../../runtime/limits/fair-budget.js';
import type { Unread } from '../../runtime/limits/unread.js';
import { callerAddress } from '../../runtime/net/addresses.js';
import type { RequestLimits } from '../config.js';
import type { CallContext, CoreClient } from '../core-client/core-client.js';
import type { Throttle } from '../core-client/throttle.js';
import type { Rpc } from '../protos/rpcs.js';
import type { Reading } from '../request/body/pump.js';
import { reserveBody } from '../request/body/reserve-body.js';
import { type HttpAnswer, send } from '../response/send.js';

export interface OperationDependencies {
  readonly core: Pick<CoreClient, 'call' | 'stream'>;
  readonly budget: FairBudget;
  readonly unread: Unread;
  readonly batches: FairBudget;
  readonly throttle: Throttle;
  readonly limits: RequestLimits;
}

interface Question {
  readonly rpc: Rpc;
  readonly call: CallContext;
  /** Reads the body, and calls the core with its message. */
  readonly ask: (reading: Reading) => Promise<object>;
  readonly show: (answer: object) => Omit<HttpAnswer, 'status'>;
}

/**
 * Reads a request, asks the core and sends the response. What arrives is in the share of its caller until the core has
 * answered: by address, since the key has not been verified when the body is read.
 */
export async function askCore(
  { budget, unread, throttle }: OperationDependencies,
  response: ServerResponse,
  { rpc, call, ask, show }: Question,
): Promise<void> {
  const { hasPicture } = rpc;
  const address = callerAddress(call.clientAddress);
  const share = budget.of(address);
  // Before a picture is read and analysed. Other answers are small.
  if (hasPicture && !unread.hasRoom(share)) throw noRoom();
  const answer = async () => {
    const reservation = reserveBody(share);
    try {
      return await ask({ signal: call.signal, reserve: reservation.grow, response });
    } finally {
      reservation.release();
    }
  };
  // By address too: that one has all its memory taken is no reason to refuse another with the same key.
  const caller = `${rpc.path} ${call.apiKey} ${address}`;
  const shown = show(await (hasPicture ? throttle.run(caller, answer) : answer()));
  // Others may be of a score that has been set by now.
  if (hasPicture) reserveAnswer(response, unread, share, shown.body.length);
  send(response, { status: 200, ...shown });
}

/**
 * Takes a response's bytes from its caller's share until they are sent. A response no larger than its upload always
 * fits, since the upload's bytes were given back just before, and so does one that is larger than any share while nothing
 * else is held.
 * @throws Refusal QUEUE_FULL
 */
function reserveAnswer(response: ServerResponse, unread: Unread, share: BudgetShare, bytes: number): void {
  // Its caller is gone: nothing would give them back, and nothing is sent.
  if (response.destroyed) return;
  const giveBack = unread.take(share, Math.min(bytes, share.largest));
  if (giveBack === undefined) throw noRoom();
  response.once('close', giveBack);
}
