import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { createConfig } from '../../../core-server/compose/config.js';
import { ConfigError } from '../../../runtime/errors/config-error.js';
import { findUnknown, port, readSettings, share, wholeNumber } from '../../../runtime/settings/read-settings.js';

const settings = z.object({
  PORT: port.default(80),
  COUNT: wholeNumber(1, 10).default(3),
  SCORE: share.optional(),
  KEY: z.string().min(4, 'want at least 4 characters').optional().meta({ secret: true }),
  CERT: z
    .string()
    .optional()
    .meta({ needs: ['KEY'] }),
});
const read = (environment: Record<string, string | undefined>) => readSettings(settings, environment);

/** The lines that name the mistakes. */
function mistakesOf(environment: Record<string, string>): string[] {
  try {
    read(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message.split('\n');
  }
  return [];
}

describe('settings', () => {
  it('tells of those that nobody knows, but not of what Kubernetes sets', () => {
    const environment = {
      PORT: '1',
      PORTS: '1',
      PORT_SERVICE_HOST: '10.0.0.1',
      PORT_SERVICE_PORT_GRPC: '50051',
      PORT_PORT_50051_TCP: 'tcp://10.0.0.1:50051',
      PORT_PORT_50051_TCP_ADDR: '10.0.0.1',
      CORN: '1',
    };
    assert.deepEqual(findUnknown(settings, 'PORT', environment), ['PORTS']);
  });

  it('takes the defaults where a variable is absent or empty', () => {
    assert.deepEqual(read({ PORT: '', COUNT: undefined, PATH: '/' }), { PORT: 80, COUNT: 3 });
  });

  it('takes values at their bounds', () => {
    assert.deepEqual(read({ PORT: '0', COUNT: '10', SCORE: '1.0' }), { PORT: 0, COUNT: 10, SCORE: 1 });
  });

  it('refuses what is no number in its bounds, and no share', () => {
    for (const text of ['0', '11', '1.5', '-1', '1e1', '0x5', ' 5', 'x'])
      assert.deepEqual(mistakesOf({ COUNT: text }), [`COUNT is "${text}": want a whole number from 1 to 10`]);
    for (const text of ['1.1', '-0', '.5', 'NaN', '1e-3', '0.1234567', '1.0000000'])
      assert.deepEqual(mistakesOf({ SCORE: text }), [
        `SCORE is "${text}": want a number from 0 to 1 with at most 6 decimals`,
      ]);
  });

  it('listens on addresses and names, and refuses what is neither', () => {
    for (const text of ['::', 'fe80::1%eth0', 'localhost', 'core.internal'])
      assert.equal(createConfig({ CORE_HOST: text }).CORE_HOST, text);
    for (const text of ['http://localhost', '127.0.0.1 ', '0.0.0.0:80', '[::]', '*'])
      assert.throws(() => createConfig({ CORE_HOST: text }), {
        message: `CORE_HOST is "${text}": want an address such as 0.0.0.0 or ::, or a host name`,
      });
  });

  it('refuses a log level in its own words', () => {
    assert.throws(() => createConfig({ CORE_LOG_LEVEL: 'verbose' }), {
      message: 'CORE_LOG_LEVEL is "verbose": want fatal, error, warn, info, debug, trace or silent',
    });
  });

  it('refuses blanks around a path, and takes those within', () => {
    assert.equal(createConfig({ CORE_DATA_DIR: '/my data' }).CORE_DATA_DIR, '/my data');
    for (const path of [' /data', '/data\n', ' '])
      assert.throws(() => createConfig({ CORE_DATA_DIR: path }), {
        message: `CORE_DATA_DIR is ${JSON.stringify(path)}: want a path without leading or trailing blanks`,
      });
  });

  it('takes an admin key that a caller could send: metadata is ASCII, and loses the blanks around it', () => {
    for (const key of ['sixteen or more!', '0123456789abcdef', '!'.repeat(64)])
      assert.equal(createConfig({ CORE_ADMIN_KEY: key }).CORE_ADMIN_KEY, key);
    const unsendable = ['with a line end\n', ' with a blank ...', 'with a blank ... ', 'with\ta tab inside'];
    for (const key of [...unsendable, '15 characters..', 'schlüssel-schlüssel'])
      assert.throws(() => createConfig({ CORE_ADMIN_KEY: key }), {
        message:
          'CORE_ADMIN_KEY is set: want at least 16 printable ASCII characters, without leading or trailing blanks',
      });
  });

  it('names all mistakes together, and no secret', () => {
    assert.deepEqual(mistakesOf({ PORT: '65536', KEY: 'abc', CERT: 'a.crt' }), [
      'PORT is "65536": want a whole number from 0 to 65535',
      'KEY is set: want at least 4 characters',
    ]);
    assert.deepEqual(mistakesOf({ CERT: 'a.crt' }), ['CERT is set: want KEY too']);
  });

  it('keeps the secrets of the core out of messages', () => {
    const secrets = { CORE_ADMIN_KEY: 'short-secret', DATABASE_URL: 'mysql://user:secret@host/db' };
    assert.throws(
      () => createConfig(secrets),
      (error: Error) => {
        assert.match(error.message, /^CORE_ADMIN_KEY is set: want.*\nDATABASE_URL is set: want/);
        return !error.message.includes('secret');
      },
    );
  });
});
