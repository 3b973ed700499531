import { BroadcastChannel, isMainThread } from 'node:worker_threads';

// Loaded into the core by `node --import`: at SIGUSR2 its inference workers end where they are, as
// after a fault of native code that a thread survives. No signal can be sent to a thread.

const channel = new BroadcastChannel('end-workers');
channel.unref();
if (isMainThread) process.on('SIGUSR2', () => channel.postMessage('end'));
else channel.onmessage = () => process.exit(3);
