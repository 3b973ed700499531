import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPrefixProxy } from '../../helpers/net/prefix-proxy.js';
import { answerAll } from '../answers.js';
import { readMetrics, readRefusal, startBoth } from '../facade.js';

test('the pages for browsers need no key, load what they name below a prefix too, and allow no script of others', async (t) => {
  const { url: service, core } = await startBoth(t, answerAll);
  const url = await startPrefixProxy(t, service);
  for (const path of ['/', '/docs']) {
    const answer = await fetch(`${url}${path}`);
    assert.equal(answer.status, 200, path);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(answer.headers.get('cross-origin-opener-policy'), 'same-origin');
    assert.equal(answer.headers.get('permissions-policy'), 'camera=(self)');
    const html = await answer.text();
    // An inline script or style, or a host of others, would need a weaker policy.
    assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//);
    const named = [...html.matchAll(/\s(?:src|href)="([^"#]+)"/g)].map(([, address]) => address);
    assert.ok(named.length > 0);
    for (const address of named) {
      const { status, headers } = await fetch(new URL(address ?? '', `${url}${path}`));
      assert.equal(status, 200, `${path} names ${address}`);
      const [, extension = ''] = /\.(\w+)$/.exec(address ?? '') ?? [];
      const type = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml' }[
        extension
      ];
      // Others are refused, since browsers are told to guess none.
      if (type) assert.equal(headers.get('content-type'), type, address);
    }
  }
  assert.deepEqual(core.calls, []);
});

test('the document names its server, and /docs/ leads to /docs, below a prefix too', async (t) => {
  const { url: service } = await startBoth(t, answerAll);
  for (const url of [service, await startPrefixProxy(t, service)]) {
    const document = await fetch(`${url}/openapi.json`);
    const { servers } = (await document.json()) as { servers: { url: string }[] };
    const [server] = servers.map((each) => new URL(each.url, document.url).href);
    assert.equal(server, `${url}/`);
    const redirected = await fetch(`${url}/docs/`);
    assert.deepEqual([redirected.status, redirected.url], [200, `${url}/docs`]);
  }
});

test('the document states the limits that are configured', async (t) => {
  const { url } = await startBoth(t, answerAll, {
    REST_MAX_IMAGE_BYTES: '3000',
    REST_MAX_FORM_FIELDS: '17',
    REST_MAX_FIELD_BYTES: '2048',
    REST_REQUEST_TIMEOUT_MS: '4000',
    REST_MAX_BATCH_FILES: '3',
    REST_MAX_BATCH_BYTES: '6000',
  });
  const text = await (await fetch(`${url}/openapi.json`)).text();
  const { info } = JSON.parse(text) as { info: { description: string } };
  for (const row of [
    'picture file | 2.9 KiB',
    'request body | 2 MiB',
    'form | 1 file unless its operation takes several, 17 fields of up to 2 KiB',
    'batch | 3 files, 5.8 KiB together',
    'time per request, a batch too | 4 s',
  ])
    assert.ok(info.description.includes(`| ${row} |`), row);
  for (const clause of ['at most 3, behind all other fields', 'at most 8, together at most 2.9 KiB'])
    assert.ok(text.includes(`"The pictures, ${clause}."`), clause);
});

test('a page that the browser has is not sent again', async (t) => {
  const { url } = await startBoth(t, answerAll);
  const first = await fetch(`${url}/docs/swagger-ui.css`);
  const etag = first.headers.get('etag') ?? '';
  assert.match(etag, /^"[\w-]{22}"$/);
  assert.equal(first.headers.get('cache-control'), 'no-cache');
  assert.ok((await first.text()).length > 10_000);
  const again = await fetch(`${url}/docs/swagger-ui.css`, { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 304);
  assert.equal(await again.text(), '');
  const changed = await fetch(`${url}/docs/swagger-ui.css`, { headers: { 'if-none-match': '"of another version"' } });
  assert.equal(changed.status, 200);
});

test('no other file can be asked for', async (t) => {
  const { url } = await startBoth(t, answerAll);
  for (const path of ['/docs/x', '/docs/../package.json', '/package.json', '/samples/README.md']) {
    const { status, reason } = await readRefusal(await fetch(`${url}${path}`));
    assert.deepEqual([status, reason], [404, 'NO_SUCH_ROUTE'], path);
  }
  const posted = await readRefusal(await fetch(`${url}/docs`, { method: 'POST' }));
  assert.deepEqual([posted.status, posted.reason], [405, 'METHOD_NOT_ALLOWED']);
});

test('a method that a path does not take makes no series of its own', async (t) => {
  const { url, facade } = await startBoth(t, answerAll, { REST_METRICS_PORT: '0' });
  const paths = ['/docs', '/livez', '/face_detect_single'];
  for (const path of paths)
    for (const method of ['PURGE', 'PATCH', 'DELETE']) {
      const { reason } = await readRefusal(await fetch(`${url}${path}`, { method }));
      assert.equal(reason, 'METHOD_NOT_ALLOWED', `${method} ${path}`);
    }
  const operations = [...(await readMetrics(facade)).matchAll(/_total\{operation="([^"]*)"/g)];
  assert.deepEqual(new Set(operations.map(([, name]) => name)), new Set(['other']));
});
