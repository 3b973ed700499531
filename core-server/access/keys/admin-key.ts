import { createHash, timingSafeEqual } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { refuseField } from '../../../runtime/errors/refusal.js';
import { callerAddress } from '../../../runtime/net/addresses.js';
import { refuseWhenSpent } from '../limits/failure-limiter.js';

/** Failures of one caller before it has to wait. */
const maxFailures = 10;
/** Failures over all connections from one address: who calls from a trusted one can invent an address for each guess. */
const maxFailuresPerPeer = 100;
const windowSeconds = 60;

/**
 * Rejects with INVALID_API_KEY, or with RATE_LIMITED after too many failures.
 * @param client address of the caller; behind a facade, that of the facade's
 * @param peer address that the call came from
 */
export type AdminKeyCheck = (sent: string, client: string, peer: string) => Promise<void>;

/** Checks keys for AdminService. A person may have chosen its only key, so guesses are slowed down. */
export function createAdminKeyCheck(adminKey: string): AdminKeyCheck {
  const wanted = digest(adminKey);
  const limit = (points: number) => new RateLimiterMemory({ points, duration: windowSeconds });
  const perCaller = limit(maxFailures);
  const perPeer = limit(maxFailuresPerPeer);
  return async (sent, client, peer) => {
    const counts = [
      [perCaller, callerAddress(client)],
      [perPeer, callerAddress(peer)],
    ] as const;
    for (const [limiter, address] of counts) await refuseWhenSpent(limiter, address, 'adminkey');
    if (timingSafeEqual(digest(sent), wanted)) return;
    for (const [limiter, address] of counts) await limiter.penalty(address);
    throw refuseField('INVALID_API_KEY', 'adminkey', 'is wrong, want the key of AdminService');
  };
}

/** Compared in place of the secret, so that the time reveals neither where two differ nor their length. */
function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
