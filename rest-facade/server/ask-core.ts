import type { ServerResponse } from 'node:http';
import type { FairBudget } from '../../runtime/limits/fair-budget.js';
import { callerAddress } from '../../runtime/net/addresses.js';
import type { RequestLimits } from '../config.js';
import type { CallContext, CoreClient } from '../core-client/core-client.js';
import type { Throttle } from '../core-client/throttle.js';
import type { Rpc } from '../protos/rpcs.js';
import type { Reading } from '../request/body/pump.js';
import { reserveBody } from '../request/body/reserve-body.js';
import { type HttpAnswer, send } from '../response/send.js';
import type { UnreadAnswers } from '../response/unread-answers.js';

export interface OperationDependencies {
  readonly core: Pick<CoreClient, 'call' | 'stream'>;
  readonly budget: FairBudget;
  readonly unread: UnreadAnswers;
  /** Batches that may be open. */
  readonly batches: FairBudget;
  readonly throttle: Throttle;
  readonly limits: RequestLimits;
}

interface Question {
  readonly rpc: Rpc;
  readonly call: CallContext;
  readonly hasPicture: boolean;
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
  { rpc, call, hasPicture, ask, show }: Question,
): Promise<void> {
  const share = budget.of(callerAddress(call.clientAddress));
  // Other answers are small.
  if (hasPicture) unread.assertRoom(share);
  const answer = async () => {
    const reservation = reserveBody(share);
    try {
      return await ask({ signal: call.signal, reserve: reservation.grow, response });
    } finally {
      reservation.release();
    }
  };
  const shown = show(await (hasPicture ? throttle.run(`${rpc.path} ${call.apiKey}`, answer) : answer()));
  // Others may be of a score that has been set by now.
  if (hasPicture) unread.reserve(response, share, shown.body.length);
  send(response, { status: 200, ...shown });
}
