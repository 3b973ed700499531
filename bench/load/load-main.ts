import { runClosedLoop } from './closed-loop.js';
import { createGrpcSender } from './grpc-sender.js';
import { createHttpSender } from './http-sender.js';
import type { LoadOrder, Sender, Target } from './messages.js';

// The load process: does what its parent orders, keeps connections from one order to the next.

const senders = new Map<string, Sender>();

function senderFor(target: Target): Sender {
  const key = JSON.stringify(target);
  const sender =
    senders.get(key) ??
    (target.kind === 'grpc' ? createGrpcSender(target) : createHttpSender(target));
  senders.set(key, sender);
  return sender;
}

process.on('message', (order: LoadOrder) => {
  void runClosedLoop(senderFor(order.target), order).then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit(0));
