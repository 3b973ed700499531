import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const saltBytes = 16;
const hashBytes = 32;
const blockSize = 8;
const parallelization = 1;

/**
 * How many passwords may be checked at once: on half the processors and a quarter of libuv's threads, which pictures
 * and the store need too.
 */
export function limitPasswordChecks(processors: number, threads: number): number {
  return Math.max(1, Math.floor(Math.min(processors / 2, threads / 4)));
}

export function generatePassword(): string {
  return randomBytes(15).toString('base64url');
}

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

/**
 * scrypt (RFC 7914) on libuv's thread pool; the caller bounds how many run at a time.
 *
 * @param log2N cost: log2 of scrypt's N. 15 takes 32 MiB and some 60 ms of one core; lower it in tests only
 */
export function createPasswordHasher({ log2N = 15 } = {}) {
  const parameters: Parameters = { log2N, r: blockSize, p: parallelization };
  return {
    /** `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`, base64url, with a salt of its own. */
    async hash(password: string): Promise<string> {
      const salt = randomBytes(saltBytes);
      return format(parameters, salt, await derive(password, salt, parameters));
    },
    /** Whether `stored` was derived from this password. Costs as much as `hash`. */
    async verify(password: string, stored: string): Promise<boolean> {
      const { salt, hash, ...storedParameters } = parse(stored);
      return timingSafeEqual(await derive(password, salt, storedParameters), hash);
    },
    /** A stored form that no password matches, as costly to verify as any other. */
    decoy: (): string => format(parameters, randomBytes(saltBytes), randomBytes(hashBytes)),
  };
}

type Parameters = Readonly<Record<'log2N' | 'r' | 'p', number>>;

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

function derive(password: string, salt: Buffer, { log2N, r, p }: Parameters): Promise<Buffer> {
  const N = 2 ** log2N;
  // The same letter may be entered as one code point or as two (RFC 8265).
  return scryptAsync(password.normalize('NFC'), salt, hashBytes, { N, r, p, maxmem: 256 * N * r });
}

function format({ log2N, r, p }: Parameters, salt: Buffer, hash: Buffer): string {
  return ['scrypt', log2N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

const storedPattern = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([A-Za-z0-9_-]+)\$([A-Za-z0-9_-]{43})$/;

function parse(stored: string): Parameters & { salt: Buffer; hash: Buffer } {
  const [, log2N, r, p, salt, hash] = storedPattern.exec(stored) ?? [];
  if (!salt || !hash) throw new Error('a stored password has an unknown form');
  return {
    log2N: Number(log2N),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
}
