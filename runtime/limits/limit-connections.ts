import { readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { Logger } from 'pino';
import { callerAddress } from '../net/addresses.js';
import { type BudgetShare, createFairBudget, createHold } from './fair-budget.js';

const maxConnections = 10_000;
/** Of these, OpenSSL keeps up to 165 KB each for a message whose first bytes announce 128 KiB: 80 MB. */
const maxUnfinishedHandshakes = 500;
const warnEveryMs = 60_000;

/**
 * Closes connections beyond a limit, of which one address gets four fifths. Otherwise one caller could use up
 * all file descriptors of the process with idle connections and lock everyone else out. Under TLS, those whose
 * handshake has not ended have a lower limit of their own, since they take memory before anything is known of them.
 */
export function limitConnections(
  server: Server,
  options: {
    /** For all addresses that are not exempt; by default a share of the file descriptors. */
    readonly max?: number;
    /** The same for unfinished TLS handshakes. */
    readonly maxHandshakes?: number;
    /** Whether an address, such as that of a proxy with many clients behind it, is not counted. */
    readonly isExempt: (address: string) => boolean;
    readonly log: Logger;
  },
): void {
  const { max = descriptorShare(), maxHandshakes = maxUnfinishedHandshakes, isExempt, log } = options;
  const places = createFairBudget(max);
  const handshakes = createFairBudget(maxHandshakes);
  /** Ends those that are unfinished, by the other end of the connection. */
  const unfinished = new Map<string, () => unknown>();
  let refused = 0;
  let warnedAt = -Infinity;

  const warn = (client: string): void => {
    refused += 1;
    if (performance.now() - warnedAt < warnEveryMs) return;
    log.warn({ refused, open: places.taken, client }, 'too many connections, new ones are ended');
    refused = 0;
    warnedAt = performance.now();
  };

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isExempt(address)) return;
    const caller = callerAddress(address);
    const refuse = (): void => {
      socket.destroy();
      warn(address);
    };
    if (holdPlace(places.of(caller), socket) === undefined) return refuse();
    if (!(server instanceof TlsServer)) return;
    const giveBack = holdPlace(handshakes.of(caller), socket);
    if (giveBack === undefined) return refuse();
    const end = otherEnd(socket);
    unfinished.set(end, giveBack);
    socket.once('close', () => unfinished.delete(end));
  });
  server.on('secureConnection', (socket: Socket) => unfinished.get(otherEnd(socket))?.());
}

/** Takes a place until the socket closes, or until it is given back before; undefined if there is none. */
function holdPlace(share: BudgetShare, socket: Socket): (() => unknown) | undefined {
  const hold = createHold(share);
  if (!hold(1)) return undefined;
  const giveBack = (): unknown => hold(0);
  socket.once('close', giveBack);
  return giveBack;
}

/** The same for a connection and for the TLS socket around it, which Node.js does not connect with each other. */
function otherEnd({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
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

/**
 * Tracks a server's open connections, including those that nothing else tracks and that would keep it from
 * closing: without a TLS handshake, or with a client that never ends its side. Under TLS, each is there twice.
 */
export function openConnections(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const note = (socket: Socket): void => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  for (const event of ['connection', 'secureConnection']) server.on(event, note);
  return open;
}
