import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readyLine, welcomeText } from '../../launcher/welcome.js';

const addresses = { restUrl: 'http://127.0.0.1:8080', grpcAddress: '127.0.0.1:50051' };
const demo = { apiKey: 'ia_1_secret', company: 'demo', password: 'p-1' };

describe('readyLine', () => {
  it('ends with the credentials on a first start', () => {
    assert.equal(
      readyLine({ ...addresses, demo }),
      'ready rest=http://127.0.0.1:8080 grpc=127.0.0.1:50051 apikey=ia_1_secret company=demo password=p-1',
    );
  });

  it('has the addresses alone on a later start', () => {
    assert.equal(readyLine({ ...addresses, demo: undefined }), 'ready rest=http://127.0.0.1:8080 grpc=127.0.0.1:50051');
  });
});

/** Where these tests run: its data folder is the usual one. */
const root = path.resolve();

describe('welcomeText', () => {
  it('quotes a folder so that its line can be pasted', () => {
    const odd = "/tmp/it's a folder";
    const line = welcomeText(addresses, odd, {})
      .split('\n')
      .find((text) => text.startsWith('  cd '));
    const pasted = String(line).replace(' cd ', ' printf %s ');
    assert.equal(execFileSync('sh', ['-c', pasted], { encoding: 'utf8' }), odd);
  });

  it('names the data folder to the admin command where that would take another', () => {
    const usual = '$(npm run --silent admin -- keys create';
    const named = (folder: string) => `$(CORE_DATA_DIR=${folder} npm run --silent admin -- keys create`;
    for (const [folder, env, shown] of [
      [root, {}, usual],
      [root, { CORE_DATA_DIR: `${root}/data/` }, usual],
      [root, { CORE_DATA_DIR: '../here' }, named(path.resolve('../here'))],
      ['/srv', { CORE_DATA_DIR: '' }, named(`${root}/data`)],
    ] as const) {
      const text = welcomeText(addresses, folder, env);
      assert.ok(text.includes(`  export APIKEY=\${APIKEY:-${shown} --label try-out`), text);
      assert.doesNotMatch(text, /DATABASE_URL/);
    }
  });

  it('makes no second key when pasted twice', () => {
    const line = welcomeText(addresses, root, {})
      .split('\n')
      .find((text) => text.startsWith('  export APIKEY='));
    const twice = `npm() { echo made >&2; echo ia_1_secret; }; ${line}; ${line}; echo "$APIKEY"`;
    const { stdout, stderr } = spawnSync('sh', ['-c', twice], { encoding: 'utf8', env: { PATH: process.env['PATH'] } });
    assert.deepEqual([stdout, stderr], ['ia_1_secret\n', 'made\n']);
  });

  it('asks for the same database where that has the keys', () => {
    const text = welcomeText(addresses, '/srv', {
      CORE_DATA_DIR: '/var/data',
      DATABASE_URL: 'postgres://me:secret@host',
    });
    assert.doesNotMatch(text, /secret/);
    assert.match(text, /export the same DATABASE_URL there first/);
    assert.match(text, /\$\(npm run --silent admin -- keys create/);
  });
});
