import { createHash, randomBytes } from 'node:crypto';

/** The parts of an API key, which is sent as `<id>_<secret>`. */
interface ApiKeyParts {
  /** `ia_` and 12 letters or digits: identifies the key in lists and logs. */
  readonly id: string;
  /** 43 characters of base64url: 32 random bytes. */
  readonly secret: string;
}

const idLength = 12;
const secretBytes = 32;
// 32 letters, so that five bits choose one evenly; none that look alike.
const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idPattern = /^ia_[0-9a-hjkmnp-tv-z]{12}$/;
const keyPattern = /^(ia_[0-9a-hjkmnp-tv-z]{12})_([A-Za-z0-9_-]{43})$/;

export function generateApiKey(): ApiKeyParts {
  const letters = Array.from(randomBytes(idLength), (byte) => idAlphabet[byte % 32]);
  return { id: `ia_${letters.join('')}`, secret: randomBytes(secretBytes).toString('base64url') };
}

export function isApiKeyId(id: string): boolean {
  return idPattern.test(id);
}

/** Parses a sent text; undefined if it cannot be a key. */
export function parseApiKey(text: string): ApiKeyParts | undefined {
  const [, id, secret] = keyPattern.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/**
 * The stored form of a secret. A plain hash is right here, not a slow one: 256 random bits cannot be
 * guessed, and the hash is computed on every call.
 */
export function hashApiKeySecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'ascii').digest();
}
