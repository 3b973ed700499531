import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeDataUrl } from '../../../../rest-facade/request/body/data-url.js';
import { assertReason } from '../../refusals.js';

const decode = (url: unknown, maxBytes = 1_000) => decodeDataUrl(url, 'image', maxBytes);

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
    ['data:image/x;base64,YW\r\n\tJj\n\n\tYW\tJj', 'abcabc'],
    ['data:image/x;base64,YW\fJj', 'abc'],
    ['data:image/x;base64, YQ=\n= ', 'a'],
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
        'YW\n Jj',
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
        'YWJ\u00a0j',
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
    for (const url of urls) assertReason(() => decode(url), reason, JSON.stringify(url));
});

test('refusals of data URLs tell what is wrong, and nothing of the picture', () => {
  const want = 'want data:image/<type>;base64,<data>';
  const alphabet = 'want base64 of the standard alphabet';
  const incomplete = 'image has incomplete base64, want groups of 4, and "=" at the end only';
  const table: [url: unknown, message: string, value?: string][] = [
    [undefined, 'image is missing, want data:image/<type>;base64,<data>'],
    [null, 'image is missing, want data:image/<type>;base64,<data>'],
    [7, `image is a number, ${want}`],
    [['data:image/png;base64,YQ=='], `image is an array, ${want}`],
    ['YWJj', `image does not begin with "data:", ${want}`],
    [`data:image/png;base64${'YWJj'.repeat(100)}`, `image has no comma in its first 256 characters, ${want}`],
    ['data:image/png,YWJj', `image begins with "data:image/png,", ${want}`],
    ['data:text/plain;base64,YWJj', 'image has the media type "text/plain", want image/<type>', 'text/plain'],
    ['data:image/x;base64,YWJ%', `image has "%" as character 4 of its data, ${alphabet}`, '%'],
    [`data:image/x;base64,!${' '.repeat(100_000)}==`, `image has "!" as character 1 of its data, ${alphabet}`, '!'],
    ['data:image/x;base64,YWJj\nYW  J', `image has U+0020 as character 8 of its data, ${alphabet}`, 'U+0020'],
    ['data:image/x;base64,YW\nJ"', `image has "\\"" as character 5 of its data, ${alphabet}`, '"'],
    ['data:image/x;base64,YW-_', `image has "-" as character 3 of its data, ${alphabet}`, '-'],
    ['data:image/x;base64,YQ==YQ==', incomplete],
    ['data:image/x;base64,YWJé', `image has U+00E9 as character 4 of its data, ${alphabet}`, 'U+00E9'],
    ['data:image/x;base64,YW😀=', `image has U+1F600 as character 3 of its data, ${alphabet}`, 'U+1F600'],
    ['data:image/x;base64,\0', `image has U+0000 as character 1 of its data, ${alphabet}`, 'U+0000'],
    ['data:image/x;base64,YW\nJj\nZ', incomplete],
    ['data:image/x;base64,YQ\n= ', incomplete],
  ];
  for (const [url, message, value] of table)
    assert.throws(() => decode(url), { message, details: { field: 'image', ...(value !== undefined && { value }) } });
});

test('a data URL one byte below, at and above the limit', () => {
  for (const length of [98, 99, 100, 101, 102]) {
    const url = `data:image/png;base64,${Buffer.alloc(length).toString('base64')}`;
    const reason = length > 100 ? 'BODY_TOO_LARGE' : undefined;
    assertReason(() => decode(url, 100), reason, String(length));
  }
});

test('10 MiB of base64 are decoded exactly and in linear time', () => {
  const bytes = Buffer.alloc(10 * 2 ** 20, 'picture');
  const url = `data:image/png;base64,${bytes.toString('base64')}`;
  const started = performance.now();
  assert.ok(decode(url, bytes.length).equals(bytes));
  // A search that backtracks takes minutes.
  assert.ok(performance.now() - started < 20_000);
  assertReason(() => decode(`${url}!`, bytes.length), 'INVALID_BASE64');
  // As many blanks as would keep a search that looks back busy.
  for (const [before, after] of [
    ['=', 'Y='],
    ['Y', '\n!'],
    ['Y', '\n='],
  ])
    assertReason(
      () => decode(`data:image/png;base64,${before}${' '.repeat(bytes.length)}${after}`, bytes.length),
      'INVALID_BASE64',
    );
  const lines = bytes.toString('base64').replace(/.{76}/g, '$&\r\n');
  assert.ok(decode(`data:image/png;base64,${lines}`, bytes.length).equals(bytes));
});
