import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createByteCollector } from '../../../rest-facade/request/body/byte-collector.js';
import { decodeDataUrl } from '../../../rest-facade/request/body/data-url.js';
import { reserveBody } from '../../../rest-facade/request/body/reserve-body.js';
import { maxSmallChunks, minMeanChunkBytes } from '../../../runtime/limits/chunk-size.js';
import { createFairBudget } from '../../../runtime/limits/fair-budget.js';
import { reasonOf } from '../refusals.js';

const kib = 1024;

test('a hold takes what comes, and gives all of it back', () => {
  const budget = createFairBudget(1_000 * kib);
  const hold = reserveBody(budget.of('caller'));
  assert.equal(budget.taken, 0);
  for (let chunk = 0; chunk < 300; chunk += 1) hold.grow(kib);
  assert.equal(budget.taken, 300 * kib);
  hold.release();
  hold.release();
  assert.equal(budget.taken, 0);
});

test('a hold refuses when the budget is used up, and leaves it as it was', () => {
  const budget = createFairBudget(100 * kib);
  const [first, second] = [budget.of('caller'), budget.of('caller')].map(reserveBody);
  first?.grow(80 * kib);
  assert.equal(
    reasonOf(() => second?.grow(1)),
    'QUEUE_FULL',
  );
  first?.release();
  assert.equal(
    reasonOf(() => second?.grow(1)),
    undefined,
  );
  second?.release();
  assert.equal(budget.taken, 0);
});

test('a hold has room for all of the largest body in the least budget', () => {
  const budget = createFairBudget(125 * kib);
  const hold = reserveBody(budget.of('caller'));
  for (let chunk = 0; chunk < 100; chunk += 1) hold.grow(kib);
  assert.equal(
    reasonOf(() => hold.grow(1)),
    'QUEUE_FULL',
  );
  hold.release();
  assert.equal(budget.taken, 0);
});

test('a hold takes so many chunks of any size, and more of them where they are large on average', () => {
  const create = () => reserveBody(createFairBudget(1_000 * kib).of('caller'));
  const grow = (hold: ReturnType<typeof reserveBody>, chunks: number, bytes: number) =>
    reasonOf(() => {
      for (let chunk = 0; chunk < chunks; chunk += 1) hold.grow(bytes);
    });
  const [small, fair, mixed] = [create(), create(), create()];
  assert.equal(grow(small, maxSmallChunks, 1), undefined);
  assert.equal(grow(small, 1, 1), 'INVALID_FIELD');
  assert.equal(grow(fair, 2 * maxSmallChunks, minMeanChunkBytes), undefined);
  assert.equal(grow(fair, 1, minMeanChunkBytes - 1), 'INVALID_FIELD');
  assert.equal(grow(mixed, 1, 2 * maxSmallChunks * minMeanChunkBytes), undefined);
  assert.equal(grow(mixed, 2 * maxSmallChunks - 1, 0), undefined);
  assert.equal(grow(mixed, 1, 0), 'INVALID_FIELD');
});

test('a collector joins chunks, with and without a promised length', () => {
  for (const expectedBytes of [undefined, 0, 10, 300 * kib, 10_000 * kib]) {
    const collector = createByteCollector(400 * kib, expectedBytes);
    const chunks = Array.from({ length: 300 }, (_, index) => Buffer.alloc(kib, index));
    const buffers = new Set<ArrayBufferLike>();
    for (const chunk of chunks) {
      collector.push(chunk);
      buffers.add(collector.bytes().buffer);
    }
    assert.deepEqual(collector.bytes(), Buffer.concat(chunks));
    // A few: else what has come would be copied again for each chunk.
    assert.ok(buffers.size <= 10, `${buffers.size} buffers`);
  }
});

test('a length that is only announced takes little, and one that is sent no more than it says', () => {
  const collector = createByteCollector(4_000 * kib, 3_000 * kib);
  collector.push(Buffer.alloc(kib));
  assert.ok(collector.bytes().buffer.byteLength <= 64 * kib);
  for (let chunk = 1; chunk < 3_000; chunk += 1) collector.push(Buffer.alloc(kib));
  assert.equal(collector.bytes().buffer.byteLength, 3_000 * kib);
});

const decode = (url: string, maxBytes = 1_000) => decodeDataUrl(url, 'image', maxBytes);

test('data URLs and their bytes', () => {
  const table: [string, string][] = [
    ['data:image/jpeg;base64,YWJj', 'abc'],
    ['data:image/jpg;base64,YWJj', 'abc'],
    ['DATA:IMAGE/PNG;BASE64,YWJj', 'abc'],
    ['data:image/svg+xml;charset=utf-8;base64,YWJj', 'abc'],
    ['data:image/x;name=a b.png;base64,YWJj', 'abc'],
    ['data:image/x;base64,YQ==', 'a'],
    ['data:image/x;base64,YQ', 'a'],
    ['data:image/x;base64,YWI=', 'ab'],
    ['data:image/x;base64,YWI', 'ab'],
    ['data:image/x;base64,YW\r\nJj\n', 'abc'],
    ['data:image/x;base64,YW  \r\n  Jj\n \n\tYW\t Jj', 'abcabc'],
    ['data:image/x;base64,YW\fJj', 'abc'],
    ['data:image/x;base64, YW=\n = ', 'a'],
    ['data:image/x;base64,  YWI=  ', 'ab'],
    ['data:image/x;base64,+/+/', '\xfb\xff\xbf'],
  ];
  for (const [url, bytes] of table) assert.equal(decode(url).toString('latin1'), bytes, JSON.stringify(url));
});

test('what is no data URL, no base64, no picture', () => {
  const table: [string, string[]][] = [
    [
      'INVALID_DATA_URL',
      [
        'YWJj',
        'data:',
        'data:,YWJj',
        'data:;base64,YWJj',
        'data:image;base64,YWJj',
        'data:image/;base64,YWJj',
        'data:image/png,YWJj',
        'data:image/png;base64',
        'data:image/png;base64;x=y,YWJj',
        'data:text/plain;base64,YWJj',
        'data:application/octet-stream;base64,YWJj',
        'data:imagex/png;base64,YWJj',
        ' data:image/png;base64,YWJj',
        'http://host/a.png',
        `data:image/png;x=${'y'.repeat(300)};base64,YWJj`,
      ],
    ],
    [
      'INVALID_BASE64',
      [
        'Y',
        'YW\nJ\njZ',
        'YW \n\u0141Jj',
        // A "+" that a form's decoder made a blank.
        'Y J+',
        'YWJj Y J+',
        'YWJj  YW',
        ' Y W I = ',
        'YQ= =',
        'YQ =\n=',
        'YWJjZ',
        'YQ=',
        'YQ===',
        'YWI==',
        'YWJj=',
        '====',
        '=',
        'Y=Q=',
        'YQ==YQ==',
        'YWJ-',
        'YWJ_',
        'YWJ%',
        'YQ%3D%3D',
        'YWJj\u0000',
        'YWJj\u00a0',
        'YWJé',
        // Its low byte is a digit.
        'YWJ\u0159',
        'YW Y==',
      ].map((data) => `data:image/png;base64,${data}`),
    ],
    ['MISSING_FIELD', ['']],
    ['EMPTY_IMAGE', ['data:image/png;base64,', 'data:image/png;base64,\n ']],
  ];
  for (const [reason, urls] of table)
    for (const url of urls)
      assert.equal(
        reasonOf(() => decode(url)),
        reason,
        JSON.stringify(url),
      );
});

test('refusals of data URLs tell what is wrong, and nothing of the picture', () => {
  const want = 'want data:image/<type>;base64,<data>';
  const alphabet = 'want base64 of the standard alphabet';
  const table: [url: string, message: string, value?: string][] = [
    ['YWJj', `image does not begin with "data:", ${want}`],
    [`data:image/png;base64${'YWJj'.repeat(100)}`, `image has no comma in its first 256 characters, ${want}`],
    ['data:image/png,YWJj', `image begins with "data:image/png,", ${want}`],
    ['data:text/plain;base64,YWJj', 'image has the media type "text/plain", want image/<type>', 'text/plain'],
    ['data:image/x;base64,YWJ%', `image has "%" as character 4 of its data, ${alphabet}`, '%'],
    [`data:image/x;base64,!${' '.repeat(100_000)}==`, `image has "!" as character 1 of its data, ${alphabet}`, '!'],
    [`data:image/x;base64,=${' '.repeat(100_000)}= =`, `image has "=" as character 1 of its data, ${alphabet}`, '='],
    ['data:image/x;base64,YWJj\nYW  J', `image has U+0020 as character 8 of its data, ${alphabet}`, 'U+0020'],
    ['data:image/x;base64,YW\nJ"', `image has "\\"" as character 5 of its data, ${alphabet}`, '"'],
    ['data:image/x;base64,YW-_', `image has "-" as character 3 of its data, ${alphabet}`, '-'],
    ['data:image/x;base64,YQ==YQ==', `image has "=" as character 3 of its data, ${alphabet}`, '='],
    ['data:image/x;base64,YWJé', `image has U+00E9 as character 4 of its data, ${alphabet}`, 'U+00E9'],
    ['data:image/x;base64,YW😀=', `image has U+1F600 as character 3 of its data, ${alphabet}`, 'U+1F600'],
    ['data:image/x;base64,\0', `image has U+0000 as character 1 of its data, ${alphabet}`, 'U+0000'],
    ['data:image/x;base64,YW\n Jj\nZ', 'image has base64 of length 5, want complete groups of 4', '5'],
    ['data:image/x;base64,YQ\n = ', 'image has base64 of length 3, want complete groups of 4', '3'],
  ];
  for (const [url, message, value] of table)
    assert.throws(() => decode(url), {
      message,
      details: { field: 'image', ...(value !== undefined && { value }) },
    });
});

test('a data URL one byte below, at and above the limit', () => {
  for (const length of [98, 99, 100, 101, 102]) {
    const url = `data:image/png;base64,${Buffer.alloc(length).toString('base64')}`;
    const reason = length > 100 ? 'BODY_TOO_LARGE' : undefined;
    assert.equal(
      reasonOf(() => decode(url, 100)),
      reason,
      String(length),
    );
  }
});

test('10 MiB of base64 are decoded exactly and in linear time', () => {
  const bytes = Buffer.alloc(10 * kib * kib, 'picture');
  const url = `data:image/png;base64,${bytes.toString('base64')}`;
  const started = performance.now();
  assert.ok(decode(url, bytes.length).equals(bytes));
  // A search that backtracks takes minutes.
  assert.ok(performance.now() - started < 20_000);
  assert.equal(
    reasonOf(() => decode(`${url}!`, bytes.length)),
    'INVALID_BASE64',
  );
  // As many blanks as would keep a search that looks back busy.
  for (const [before, after] of [
    ['=', 'Y='],
    ['Y', '\n!'],
    ['Y', '\n='],
  ])
    assert.equal(
      reasonOf(() => decode(`data:image/png;base64,${before}${' '.repeat(bytes.length)}${after}`, bytes.length)),
      'INVALID_BASE64',
    );
  const lines = bytes.toString('base64').replace(/.{76}/g, '$&\r\n');
  assert.ok(decode(`data:image/png;base64,${lines}`, bytes.length).equals(bytes));
});
