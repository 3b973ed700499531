import { isMainThread } from 'node:worker_threads';

// Loaded into each child by `node --import`. A launcher that is killed outright cannot stop its
// children, but the system closes its end of their IPC channel, and they leave by themselves.

const graceMs = 15_000;

// Worker threads inherit --import; only the main thread has the channel.
if (isMainThread && process.channel) {
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), graceMs).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  // A terminal's signals reach the whole session. The launcher gets them too, and stops the facade
  // before the core, so that requests under way can end.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // Listening must not keep a child alive that has nothing else to do.
  process.channel.unref();
}
