import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';

void it('the client over REST needs nothing that a browser lacks', () => {
  const seen = new Set<string>();
  const foreign: string[] = [];
  const visit = (url: URL) => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    const code = readFileSync(url, 'utf8');
    assert.doesNotMatch(code, /\b(Buffer|process|require)\b[.(]/, url.pathname);
    for (const [, name = ''] of code.matchAll(/\bfrom '([^']+)'/g)) {
      if (name.startsWith('.')) visit(new URL(name, url));
      else foreign.push(name);
    }
  };

  visit(new URL(import.meta.resolve('image-analysis/rest')));

  assert.deepEqual(foreign, []);
  assert.ok(seen.size > 1);
});
