import { readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import type { Logger } from 'pino';
import { callerAddress } from '../net/caller-address.js';
import { createFairBudget } from './fair-budget.js';

const maxConnections = 10_000;
const warnEveryMs = 60_000;

/**
 * Closes connections beyond a limit, of which one address gets four fifths. Otherwise one caller could use up
 * all file descriptors of the process with idle connections and lock everyone else out.
 */
export function limitConnections(
  server: Server,
  options: {
    /** For all addresses that are not exempt; by default a share of the file descriptors. */
    readonly max?: number;
    /** Whether an address, such as that of a proxy with many clients behind it, is not counted. */
    readonly isExempt: (address: string) => boolean;
    readonly log: Logger;
    /** Monotonic, milliseconds. */
    readonly now?: () => number;
  },
): void {
  const { max = descriptorShare(), isExempt, log, now = () => performance.now() } = options;
  const places = createFairBudget(max);
  let refused = 0;
  let warnedAt = -Infinity;

  const warn = (client: string): void => {
    refused += 1;
    if (now() - warnedAt < warnEveryMs) return;
    log.warn({ refused, open: places.taken, client }, 'too many connections, new ones are ended');
    refused = 0;
    warnedAt = now();
  };

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isExempt(address)) return;
    const own = places.of(callerAddress(address));
    if (own.take(1)) {
      socket.once('close', () => own.give(1));
    } else {
      socket.destroy();
      warn(address);
    }
  });
}

/** Leaves most descriptors to proxies, other ports and files; Linux says how many a process may have. */
function descriptorShare(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    const descriptors = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
    return Math.min(maxConnections, Math.floor(descriptors / 4));
  } catch {
    return maxConnections;
  }
}
