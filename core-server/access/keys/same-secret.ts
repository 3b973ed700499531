import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are equal, in a time that reveals neither where they differ nor their length. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
