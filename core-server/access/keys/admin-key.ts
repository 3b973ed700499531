import { createHash, timingSafeEqual } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { refuse } from '../../../runtime/errors/refusal.js';
import { callerAddress } from '../../../runtime/net/addresses.js';
import { refuseWhenSpent } from '../limits/failure-limiter.js';

const maxFailures = 10;
const windowSeconds = 60;

/** Rejects with INVALID_API_KEY, or with RATE_LIMITED after too many failures from this address. */
export type AdminKeyCheck = (sent: string, peer: string) => Promise<void>;

/** Checks keys for AdminService. A person may have chosen its only key, so guesses are slowed down. */
export function createAdminKeyCheck(adminKey: string): AdminKeyCheck {
  const wanted = digest(adminKey);
  const failures = new RateLimiterMemory({ points: maxFailures, duration: windowSeconds });
  return async (sent, peer) => {
    const caller = callerAddress(peer);
    await refuseWhenSpent(failures, caller, 'adminkey');
    if (timingSafeEqual(digest(sent), wanted)) return;
    await failures.penalty(caller);
    throw refuse('INVALID_API_KEY', 'adminkey is wrong, want the key of AdminService', {
      details: { field: 'adminkey' },
    });
  };
}

/** Compared in place of the secret, so that the time reveals neither where two differ nor their length. */
function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
