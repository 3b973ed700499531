/**
 * CPU milliseconds of this process: networks run in the calling thread, one at a time, and so take
 * as many on a busy machine as on an idle one, but for what its caches lose.
 */
export function cpuClock(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
