import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readMultipart } from '../../../../rest-facade/request/body/read-multipart.js';
import { reserveBody } from '../../../../rest-facade/request/body/reserve-body.js';
import { createFairBudget } from '../../../../runtime/limits/fair-budget.js';
import { answerAll } from '../../answers.js';
import { type ErrorBody, startBoth } from '../../facade.js';
import { exchange, multipartRequest } from '../../raw-http.js';
import { limits as smallLimits } from '../../serve-app.js';

const kib = 1024;
const path = '/face_detect_single';
const part = (headers: string, data = 'x') => `--b\n${headers}\n\n${data}\n`;
const disposition = (rest: string) => `content-disposition: form-data; ${rest}`;
const file = part(`${disposition('name="file"; filename="a.jpg"')}\ncontent-type: image/jpeg`, 'JPEG');
const field = (name: string, value = 'x') => part(disposition(`name="${name}"`), value);
const end = '--b--\n';
const oneFile = { sentAs: 'file', maxFiles: 1, names: new Set<string>(), areSeparate: false };
/** Unknown fields fill a form. */
const lenient = { REST_LENIENT_FIELDS: 'true' };

test('forms that are read', async (t) => {
  const { port, core } = await startBoth(t, answerAll, lenient);
  const table: [string, string, string][] = [
    ['the file alone', file + end, 'JPEG'],
    ['fields before and after', field('company', 'a') + file + field('x') + end, 'JPEG'],
    ['a preamble and an epilogue', `hello\n${file}${end}bye`, 'JPEG'],
    ['no line end after the last boundary', `${file}--b--`, 'JPEG'],
    ['a file name in UTF-8', part(disposition(`name="file"; filename*=UTF-8''%e2%82%ac.jpg`), 'JPEG') + end, 'JPEG'],
    ['a file name with a path', part(disposition('name="file"; filename="../../a"'), 'JPEG') + end, 'JPEG'],
    // The core says EMPTY_IMAGE.
    ['an empty file', part(disposition('name="file"; filename="a.jpg"'), '') + end, ''],
    [
      'a file without a name by its type',
      part(`${disposition('name="file"')}\ncontent-type: application/octet-stream`, 'JPEG') + end,
      'JPEG',
    ],
    ['a field of its name without a value', field('file', '') + file + end, 'JPEG'],
    ['a part without a name', part('content-disposition: form-data') + file + end, 'JPEG'],
    [
      'a boundary-like line in the file',
      part(disposition('name="file"; filename="a"'), '--\n-b--\n\n--') + end,
      '--\r\n-b--\r\n\r\n--',
    ],
  ];
  for (const [what, body, bytes] of table) {
    const answer = await exchange(port, multipartRequest(path, body));
    assert.equal(answer.status, 200, `${what}: ${answer.body}`);
    const image = core.calls.at(-1)?.request['image'] as Uint8Array;
    assert.equal(Buffer.from(image).toString(), bytes, what);
  }
  assert.equal(core.calls.length, table.length);
});

test('forms that are refused, over a raw socket', async (t) => {
  const { port, core } = await startBoth(t, answerAll);
  const table: [string, string, string][] = [
    ['no last boundary', file, 'MALFORMED_MULTIPART'],
    ['the file cut off', file.slice(0, -6), 'MALFORMED_MULTIPART'],
    ['a part header cut off', '--b\ncontent-dispo', 'MALFORMED_MULTIPART'],
    ['no part at all', end, 'MISSING_FIELD'],
    ['an empty body', '', 'MALFORMED_MULTIPART'],
    ['another boundary', `--c\n${disposition('name="file"; filename="a"')}\n\nx\n--c--\n`, 'MALFORMED_MULTIPART'],
    ['a header without a colon', `--b\nno header\n\nx\n${end}`, 'MALFORMED_MULTIPART'],
    ['a header name that is none', `--b\n\u0001: x\n\nx\n${end}`, 'MALFORMED_MULTIPART'],
    ['no file', field('company') + end, 'MISSING_FIELD'],
    ['the file under another name', part(disposition('name="image"; filename="a"')) + end, 'MISSING_FIELD'],
    ['the file as a field', field('file', 'JPEG') + end, 'MISSING_FIELD'],
    ['another file as a field', field('file', 'JPEG') + file + end, 'MISSING_FIELD'],
    ['no file chosen, as a field', part(disposition('name="file"; filename=""'), '') + end, 'MISSING_FIELD'],
    [
      'no file chosen, as browsers send it',
      part(`${disposition('name="file"; filename=""')}\ncontent-type: application/octet-stream`, '') + end,
      'MISSING_FIELD',
    ],
    ['a part without Content-Disposition', `--b\ncontent-type: image/jpeg\n\nJPEG\n${end}`, 'MALFORMED_MULTIPART'],
    [
      'a disposition of another kind',
      part('content-disposition: attachment; name="file"; filename="a"') + end,
      'MALFORMED_MULTIPART',
    ],
    // What the parser would leave out.
    ['a semicolon behind a name', part(disposition('name="company";')) + file + end, 'MALFORMED_MULTIPART'],
    ['a blank behind a boundary', field('company').replace('b', 'b ') + file + end, 'MALFORMED_MULTIPART'],
    ['the boundary in a field', field('company', 'a\n--bc') + file + end, 'MALFORMED_MULTIPART'],
    ['two files of the name', file + file + end, 'REPEATED_FIELD'],
    ['a name of 60 characters in 120 bytes', field('é'.repeat(60)) + file + end, 'MALFORMED_MULTIPART'],
    ['a second file of another name', file + part(disposition('name="x"; filename="a"')) + end, 'MALFORMED_MULTIPART'],
    [
      'a field in an unknown charset',
      part(`${disposition('name="company"')}\ncontent-type: text/plain; charset=utf-7`) + file + end,
      'INVALID_FIELD',
    ],
    ['a field twice', field('company') + field('company') + file + end, 'REPEATED_FIELD'],
    ['a part without a name', part('content-disposition: form-data') + file + end, 'UNKNOWN_FIELD'],
    [
      'a name encoded as only filenames may be',
      part(disposition("name*=UTF-8''company")) + file + end,
      'UNKNOWN_FIELD',
    ],
  ];
  for (const [what, body, reason] of table) {
    const answer = await exchange(port, multipartRequest(path, body));
    assert.equal(answer.status, 400, `${what}: ${answer.text}`);
    assert.equal((JSON.parse(answer.body) as ErrorBody).reason, reason, what);
  }
  assert.deepEqual(core.calls, []);
});

test('a field that is sent as a file is refused, also where unknown fields are ignored', async (t) => {
  const asFile = part(`${disposition('name="company"')}\ncontent-type: application/octet-stream`);
  for (const settings of [{}, lenient]) {
    const { port, core } = await startBoth(t, answerAll, settings);
    for (const route of [path, '/v1/faces/batch']) {
      for (const body of [asFile + file + end, file + asFile + end]) {
        const answer = await exchange(port, multipartRequest(route, body));
        const { reason, message, details } = JSON.parse(answer.body) as ErrorBody;
        const refused = ['INVALID_FIELD', 'company is a file, want a text', { field: 'company' }];
        assert.deepEqual([reason, message, details], refused);
      }
    }
    assert.deepEqual(core.calls, []);
  }
});

test('what cannot be read in the headers of a part is named', async (t) => {
  const { port } = await startBoth(t, answerAll);
  for (const [what, body] of [
    ['a control character in a filename', part(disposition('name="file"; filename="a\u0001.jpg"')) + end],
    ['the same behind a field', field('company') + part(disposition('name="file"; filename="a\u007f.jpg"')) + end],
    ['a header without a colon', `--b\nno header\n\nx\n${end}`],
    ['a long header', part(disposition(`name="file"; filename="${'a'.repeat(17 * kib)}.jpg"`)) + end],
  ] as const) {
    const answer = await exchange(port, multipartRequest(path, body));
    const { reason, message, details } = JSON.parse(answer.body) as ErrorBody;
    assert.deepEqual(
      [answer.status, reason, message, details],
      [
        400,
        'MALFORMED_MULTIPART',
        'part header cannot be read, want "name: value" without control characters, in filenames too, and at most 16 KiB',
        { field: 'part header' },
      ],
      what,
    );
  }
});

test('of several files, none is left out because it has no filename, or a misspelt name', async (t) => {
  const { port } = await startBoth(t, answerAll);
  for (const [form, reason, details] of [
    [file + part(disposition('name="file"'), 'JPEG'), 'MISSING_FIELD', { field: 'file' }],
    [part(disposition('name="flie"; filename="a.jpg"')) + file, 'UNKNOWN_FIELD', { field: 'flie', nearest: 'file' }],
  ] as const)
    for (const severalFiles of ['/v1/faces/batch', '/v1/meters/fuse']) {
      const { status, body } = await exchange(port, multipartRequest(severalFiles, form + end));
      const refused = JSON.parse(body) as ErrorBody;
      assert.deepEqual([status, refused.reason, refused.details], [400, reason, details]);
    }
});

test('a boundary of 70 characters, in quotes', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const boundary = `'()+_,-./:=? `.repeat(6).slice(0, 69) + 'b';
  const contentType = `multipart/form-data; charset=utf-8; boundary="${boundary}"`;
  const body = (file + end).replaceAll('--b', `--${boundary}`);
  const { status, text } = await exchange(port, multipartRequest(path, body, contentType));
  assert.equal(status, 200, text);
});

test('content types', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const table: [string, number, string | undefined][] = [
    ['multipart/form-data; boundary=b', 200, undefined],
    ['Multipart/Form-Data; charset=utf-8; boundary="b"', 200, undefined],
    ['multipart/form-data; boundary=b; charset='.padEnd(200, 'x'), 200, undefined],
    ['multipart/form-data; boundary=b; charset='.padEnd(201, 'x'), 400, 'MALFORMED_MULTIPART'],
    [`multipart/form-data; boundary="${'b'.repeat(200)}"`, 400, 'MALFORMED_MULTIPART'],
    ['multipart/form-data', 400, 'MALFORMED_MULTIPART'],
    ['multipart/form-data; boundary=', 400, 'MALFORMED_MULTIPART'],
    ['multipart/form-datax; boundary=b', 415, 'UNSUPPORTED_CONTENT_TYPE'],
    ['multipart/mixed; boundary=b', 415, 'UNSUPPORTED_CONTENT_TYPE'],
  ];
  for (const [contentType, status, reason] of table) {
    const answer = await exchange(port, multipartRequest(path, file + end, contentType));
    assert.equal(answer.status, status, contentType);
    assert.equal((JSON.parse(answer.body) as ErrorBody).reason, reason, contentType);
  }
});

test('a picture or a text in place of the file is told that a filename is missing, however long', async (t) => {
  const { port } = await startBoth(t, answerAll);
  for (const type of ['image/png', 'text/plain'])
    for (const bytes of [10, 65_537]) {
      const headers = `${disposition('name="file"')}\ncontent-type: ${type}`;
      const form = part(headers, 'x'.repeat(bytes)) + end;
      const { status, body } = await exchange(port, multipartRequest(path, form));
      const { reason, message } = JSON.parse(body) as ErrorBody;
      assert.deepEqual(
        [status, reason, message],
        [400, 'MISSING_FIELD', 'file is missing, want one file part with a filename'],
      );
    }
});

test('the fields of a form, unfinished ones too, count as bytes of uploads that are held', async () => {
  const budget = createFairBudget(1_000 * kib);
  const limits = { ...smallLimits, maxImageBytes: 1, maxFieldBytes: 64 * kib };
  const read = async (body: string) => {
    const request = Object.assign(Readable.from([Buffer.from(body.replaceAll('\n', '\r\n'))]), {
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    const reservation = reserveBody(budget.of('caller'));
    const options = {
      signal: new AbortController().signal,
      reserve: reservation.grow,
      maxBodyBytes: 2_000 * kib,
      response: {} as ServerResponse,
    };
    const reading = readMultipart(request as unknown as IncomingMessage, oneFile, limits, options, () => undefined);
    await reading.catch((error: unknown) => {
      reservation.release();
      throw error;
    });
    return reservation;
  };
  const tiny = part(disposition('name="file"; filename="a.jpg"'));
  const fields = (count: number) =>
    Array.from({ length: count }, (_, at) => field(`x${at}`, 'y'.repeat(64 * kib))).join('');
  const { release } = await read(fields(4) + tiny + end);
  assert.ok(budget.taken > 256 * kib, String(budget.taken));
  const unfinished = fields(16).slice(0, -10);
  for (const body of [fields(16) + tiny + end, unfinished]) await assert.rejects(read(body), { reason: 'QUEUE_FULL' });
  release();
  assert.equal(budget.taken, 0);
});

test('parts that busboy skips in silence are counted', async (t) => {
  const { port } = await startBoth(t, answerAll, lenient);
  const skipped = '--b\ncontent-type: text/plain\n\nx\n';
  const send = async (count: number) =>
    (await exchange(port, multipartRequest(path, skipped.repeat(count) + file + end))).body;
  assert.match(await send(1), /a part that is none of a form/);
  assert.match(await send(17), /too many parts/);
});

test('a form split into chunks of any size is the same form', async (t) => {
  const { port, core } = await startBoth(t, answerAll);
  const body = (field('company', 'acme') + file + end).replaceAll('\n', '\r\n');
  for (const size of [1, 2, 3, 7, 50]) {
    const chunks = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    const head =
      `POST ${path} HTTP/1.1\r\nhost: x\r\napikey: k\r\nconnection: close\r\n` +
      'content-type: multipart/form-data; boundary=b\r\ntransfer-encoding: chunked\r\n\r\n';
    const chunked = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
    const answer = await exchange(port, `${head}${chunked}0\r\n\r\n`);
    assert.equal(answer.status, 200, `${size}: ${answer.body}`);
    const request = core.calls.at(-1)?.request;
    assert.equal(Buffer.from(request?.['image'] as Uint8Array).toString(), 'JPEG');
    assert.equal(request?.['company'], 'acme');
  }
});
