import { isMainThread } from 'node:worker_threads';

// Loaded into each child by `node --import`. A launcher that is killed outright cannot stop its
// children, but the system closes its end of their IPC channel, so they exit on their own.

// Worker threads inherit --import; only the main thread has the channel.
if (isMainThread) {
  // The launcher ended before this was loaded.
  if (!process.channel) process.exit(1);
  process.once('disconnect', () => {
    // Until it listens to the launcher, there is nothing to shut down. After that, it stops as if told to.
    if (process.listenerCount('disconnect') === 0) process.exit(1);
  });
  // Signals of a terminal reach the whole session, those of systemd and others the whole group. The
  // launcher gets them too, and stops the facade before the core, so that requests under way can end.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // Listening must not keep a child alive that has nothing else to do.
  process.channel.unref();
}
