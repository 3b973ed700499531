import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommandLine } from '../../../tools/analyze/command-line.js';

test('the core is where CORE_PORT says, and the key has no white space of another system around it', async () => {
  for (const [CORE_PORT, address] of [
    [undefined, '127.0.0.1:50051'],
    ['', '127.0.0.1:50051'],
    ['50151', '127.0.0.1:50151'],
  ] as const) {
    const options = await readCommandLine(['photos'], { APIKEY: ' ia_1\r\n', CORE_PORT });
    assert.deepEqual([options?.address, options?.apiKey], [address, 'ia_1']);
  }
});

test('numbers are taken at their bounds, and annotated copies ask for landmarks', async () => {
  for (const [args, read] of [
    [
      ['--min-score', '1', '--in-flight', '1', '--max-bytes', '1'],
      [1, 1, 1, false],
    ],
    [
      ['--min-score', '0', '--annotate', 'out'],
      [0, 8, 10_485_760, true],
    ],
  ] as const) {
    const options = await readCommandLine([...args, 'photos'], { APIKEY: 'ia_1' });
    assert.deepEqual([options?.minScore, options?.inFlight, options?.maxImageBytes, options?.landmarks], read);
  }
});

test('a key that cannot be sent is in no message', async () => {
  for (const [APIKEY, message] of [
    ['ia_1\nia_1', 'APIKEY has a character that cannot be sent, want it exactly as issued'],
    [undefined, 'APIKEY is not set, want an API key of the service'],
  ] as const)
    await assert.rejects(readCommandLine(['photos'], { APIKEY }), { name: 'ConfigError', message });
});

test('help needs neither a key nor pictures', async () => {
  assert.equal(await readCommandLine(['--help'], {}), undefined);
});

test('what is mistaken is named', async () => {
  const mistakes: [args: string[], message: string][] = [
    [[], 'no pictures are named; see --help'],
    [['--feature', 'cats', 'photos'], '--feature is "cats", want faces or meters'],
    [['--feature', 'toString', 'photos'], '--feature is "toString", want faces or meters'],
    [['--in-flight', '0', 'photos'], '--in-flight is "0", want a whole number from 1'],
    [['--max-bytes', '1.5', 'photos'], '--max-bytes is "1.5", want a whole number from 1'],
    [['--min-score', 'x', 'photos'], '--min-score is "x", want a number from 0 to 1'],
    [['--min-score', ' ', 'photos'], '--min-score is " ", want a number from 0 to 1'],
    [['--min-score', '80', 'photos'], '--min-score is "80", want a number from 0 to 1'],
    [
      ['--tls-ca', 'no.pem', 'photos'],
      `--tls-ca is "no.pem": want a PEM file with a certificate; ENOENT: no such file or directory, open 'no.pem'`,
    ],
    [
      ['--tls-ca', 'ca.pem', '--tls-key', 'key.pem', 'photos'],
      '--tls-cert and --tls-key are a client certificate, want both, and --tls-ca',
    ],
  ];
  for (const [args, message] of mistakes)
    await assert.rejects(readCommandLine(args, { APIKEY: 'key' }), { name: 'ConfigError', message });
  const http = readCommandLine(['--address', 'http://127.0.0.1:8080', 'photos'], { APIKEY: 'key' });
  await assert.rejects(http, /^ConfigError: --address is "http:.*", want host:port or a gRPC target/);
});

test('what does not go together is refused', async () => {
  for (const [args, why] of [
    [['--redact', 'hidden', '--feature', 'meters'], '--redact hides faces and does nothing else'],
    [['--redact', 'hidden', '--annotate', 'out'], '--redact hides faces and does nothing else'],
    [['--fuse', '--annotate', 'out'], '--fuse reads several photos as one'],
    [['--fuse', '--redact', 'out'], '--fuse reads several photos as one'],
    [['--feature', 'meters', '--min-score', '0.9'], '--min-score is about faces'],
    [['--fuse', '--company', 'acme'], '--company is about faces'],
  ] as const)
    await assert.rejects(readCommandLine([...args, 'photos'], { APIKEY: 'key' }), new RegExp(`^ConfigError: ${why}`));
});
