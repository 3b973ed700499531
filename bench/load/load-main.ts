import { collectRarely, compileEarlier } from '../../runtime/node-patches/v8-flags.js';
import { runClosedLoop } from './closed-loop.js';
import { createGrpcSender } from './grpc-sender.js';
import { createHttpSender } from './http-sender.js';
import type { LoadOrder, LoadResult, OpenLoadOrder, Sender, Target } from './messages.js';
import { runOpenLoop } from './open-loop.js';

// The load process: does what its parent orders, keeps connections from one order to the next.

collectRarely();
compileEarlier();

const senders = new Map<string, Sender>();

function senderFor(target: Target): Sender {
  const key = JSON.stringify(target);
  const sender = senders.get(key) ?? (target.kind === 'grpc' ? createGrpcSender(target) : createHttpSender(target));
  senders.set(key, sender);
  return sender;
}

function run(order: LoadOrder | OpenLoadOrder): Promise<LoadResult> {
  const sender = senderFor(order.target);
  return 'ratePerSecond' in order ? runOpenLoop(sender, order) : runClosedLoop(sender, order);
}

process.on('message', (order: LoadOrder | OpenLoadOrder) => {
  void run(order).then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit(0));
