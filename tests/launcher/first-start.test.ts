import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { registerDemoOnFirstStart, type RunAdmin } from '../../launcher/first-start.js';

/** An admin command over a store in memory; the call with the number `failAt` fails. */
function createFakeAdmin(options: { companies?: string[]; keys?: string[]; failAt?: number } = {}) {
  const { companies = [], keys = [] } = options;
  const calls: string[] = [];
  const runAdmin: RunAdmin = (args) => {
    calls.push(args.join(' '));
    if (calls.length === options.failAt) return Promise.reject(new Error('cut off'));
    return Promise.resolve(answer(args.join(' ')));
  };
  function answer(command: string): unknown {
    switch (command) {
      case 'keys list':
        return keys.map((id) => ({ id }));
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
  return { runAdmin, calls, companies, keys };
}

describe('registerDemoOnFirstStart', () => {
  it('should register a company and a key in an empty store', async () => {
    const { runAdmin, companies, keys } = createFakeAdmin();
    const demo = await registerDemoOnFirstStart(runAdmin);
    assert.deepEqual(demo, { apiKey: 'ia_1_secret', company: 'demo', password: 'first' });
    assert.deepEqual({ companies, keys }, { companies: ['demo'], keys: ['ia_1'] });
  });

  it('should register nothing on a second start', async () => {
    const fake = createFakeAdmin();
    await registerDemoOnFirstStart(fake.runAdmin);
    fake.calls.length = 0;
    assert.equal(await registerDemoOnFirstStart(fake.runAdmin), undefined);
    assert.deepEqual(fake.calls, ['keys list']);
  });

  it('should register nothing where somebody made a key already', async () => {
    const { runAdmin, companies } = createFakeAdmin({ keys: ['ia_0'] });
    assert.equal(await registerDemoOnFirstStart(runAdmin), undefined);
    assert.deepEqual(companies, []);
  });

  it('should give a password that is valid after a start that broke off in between', async () => {
    const fake = createFakeAdmin({ failAt: 4 });
    await assert.rejects(registerDemoOnFirstStart(fake.runAdmin), /cut off/);
    const demo = await registerDemoOnFirstStart(fake.runAdmin);
    assert.deepEqual(demo, { apiKey: 'ia_1_secret', company: 'demo', password: 'second' });
  });
});
