import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { createPasswordHasher, limitPasswordChecks } from '../../../../core-server/access/companies/password.js';

const hasher = createPasswordHasher({ log2N: 4 });

describe('password hasher', () => {
  it('verifies what it hashed and nothing else', async () => {
    for (const password of ['password', ' ', 'pässwörd 木🔑', 'x'.repeat(128)]) {
      const stored = await hasher.hash(password);
      assert.equal(await hasher.verify(password, stored), true);
      assert.equal(await hasher.verify(`${password} `, stored), false);
      assert.equal(await hasher.verify('', stored), false);
    }
  });

  it('salts every hash anew', async () => {
    assert.notEqual(await hasher.hash('password'), await hasher.hash('password'));
  });

  it('takes a letter typed as one code point or as two', async () => {
    const stored = await hasher.hash('caf\u00e9-password');
    assert.equal(await hasher.verify('cafe\u0301-password', stored), true);
  });

  it('agrees with RFC 7914', async () => {
    // Section 12, "pleaseletmein" with N 16384, r 8, p 1: the first 32 of its 64 bytes.
    const hash = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex').toString(
      'base64url',
    );
    const salt = Buffer.from('SodiumChloride').toString('base64url');
    assert.equal(await hasher.verify('pleaseletmein', `scrypt$14$8$1$${salt}$${hash}`), true);
  });

  it('verifies what was stored at another cost', async () => {
    const stored = await createPasswordHasher({ log2N: 5 }).hash('password');
    assert.match(stored, /^scrypt\$5\$8\$1\$/);
    assert.equal(await hasher.verify('password', stored), true);
  });

  it('costs 32 MiB unless told otherwise', async () => {
    const stored = await createPasswordHasher().hash('password');
    assert.match(stored, /^scrypt\$15\$8\$1\$/);
  });

  it('makes a decoy of the form and cost of a hash that nothing matches', async () => {
    const decoy = hasher.decoy();
    const stored = await hasher.hash('');
    assert.equal(decoy.length, stored.length);
    assert.deepEqual(decoy.split('$').slice(0, 4), stored.split('$').slice(0, 4));
    assert.equal(await hasher.verify('', decoy), false);
  });

  it('fails on a stored form that it does not know', async () => {
    for (const stored of ['', 'plain', 'scrypt$4$8$1$$', `argon2$4$8$1$c2FsdA$${'A'.repeat(43)}`]) {
      await assert.rejects(hasher.verify('password', stored), { message: 'a stored password has an unknown form' });
    }
  });
});

test('password checks leave processors and threads to pictures', () => {
  const table: [processors: number, threads: number, limit: number][] = [
    [1, 4, 1],
    [2, 1, 1],
    [2, 64, 1],
    [8, 16, 4],
    [16, 4, 1],
    [16, 8, 2],
    [16, 64, 8],
    [64, 64, 16],
  ];
  for (const [processors, threads, limit] of table)
    assert.equal(limitPasswordChecks(processors, threads), limit, `${processors}, ${threads}`);
});
