import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
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

const usual = { dataDir: '/srv/data', isPostgres: false };

describe('welcomeText', () => {
  it('quotes a folder so that its line can be pasted', () => {
    const root = "/tmp/it's a folder";
    const line = welcomeText(addresses, root, usual)
      .split('\n')
      .find((text) => text.startsWith('  cd '));
    const pasted = String(line).replace(' cd ', ' printf %s ');
    assert.equal(execFileSync('sh', ['-c', pasted], { encoding: 'utf8' }), root);
  });

  it('names the data folder to the admin command where it is not the usual one', () => {
    const text = welcomeText(addresses, '/srv', { ...usual, dataDir: '/var/data' });
    assert.match(text, /APIKEY=\$\{APIKEY:-\$\(CORE_DATA_DIR=\/var\/data npm run --silent admin -- keys create/);
    assert.doesNotMatch(text, /DATABASE_URL/);
    assert.doesNotMatch(welcomeText(addresses, '/srv', usual), /CORE_DATA_DIR/);
  });

  it('makes no second key when pasted twice', () => {
    const line = welcomeText(addresses, '/srv', usual)
      .split('\n')
      .find((text) => text.startsWith('  export APIKEY='));
    const twice = `npm() { echo made >&2; echo ia_1_secret; }; ${line}; ${line}; echo "$APIKEY"`;
    const { stdout, stderr } = spawnSync('sh', ['-c', twice], { encoding: 'utf8', env: { PATH: process.env['PATH'] } });
    assert.deepEqual([stdout, stderr], ['ia_1_secret\n', 'made\n']);
  });

  it('asks for the same database where that has the keys', () => {
    const text = welcomeText(addresses, '/srv', { dataDir: '/var/data', isPostgres: true });
    assert.match(text, /export the same DATABASE_URL there first/);
    assert.match(text, /\$\(npm run --silent admin -- keys create/);
  });
});
