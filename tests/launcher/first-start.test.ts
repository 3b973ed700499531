import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { registerDemo, type RunAdmin } from '../../launcher/first-start.js';

/** An admin command over a store in memory; the call with the number `failAt` fails. */
function createFakeAdmin(options: { failAt?: number } = {}) {
  const companies: string[] = [];
  const keys: string[] = [];
  const calls: string[] = [];
  const runAdmin: RunAdmin = (args) => {
    calls.push(args.join(' '));
    if (calls.length === options.failAt) return Promise.reject(new Error('cut off'));
    return Promise.resolve(answer(args.join(' ')));
  };
  function answer(command: string): unknown {
    switch (command) {
      case 'companies list':
        return companies.map((name) => ({ name }));
      case 'companies create demo':
        companies.push('demo');
        return { name: 'demo', password: 'first' };
      case 'companies set-password demo':
        return { name: 'demo', password: 'second' };
      case 'keys create --label demo':
        keys.push('ia_1');
        return { id: 'ia_1', key: 'ia_1_secret' };
      default:
        throw new Error(`unexpected command ${command}`);
    }
  }
  return { runAdmin, companies, keys };
}

describe('registerDemo', () => {
  it('should register a company and a key in an empty store', async () => {
    const { runAdmin, companies, keys } = createFakeAdmin();
    const demo = await registerDemo(runAdmin);
    assert.deepEqual(demo, { apiKey: 'ia_1_secret', company: 'demo', password: 'first' });
    assert.deepEqual({ companies, keys }, { companies: ['demo'], keys: ['ia_1'] });
  });

  it('should give a password that is valid after a start that broke off in between', async () => {
    const fake = createFakeAdmin({ failAt: 3 });
    await assert.rejects(registerDemo(fake.runAdmin), /cut off/);
    const demo = await registerDemo(fake.runAdmin);
    assert.deepEqual(demo, { apiKey: 'ia_1_secret', company: 'demo', password: 'second' });
  });
});
