import assert from 'node:assert/strict';
import { createReadStream, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test, type TestContext } from 'node:test';
import { noChromium, startBrowser } from '../helpers/browser.js';
import { listen } from '../helpers/net/listen.js';
import { startService } from '../helpers/service/service.js';

test('the client over REST needs nothing that a browser lacks', () => {
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

test('the client over REST makes every call from a page of another origin', { skip: noChromium }, async (t) => {
  const origin = await servePage(t);
  const service = await startService(t, { REST_CORS_ORIGINS: origin });
  await service.createCompany('acme', 'correct horse');
  const browser = await startBrowser();
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(origin);

  const answers = await page.evaluate(`(async () => {
    const { createRestClient } = await import('/rest.js');
    const client = createRestClient(${JSON.stringify({ url: service.rest, apiKey: service.apiKey })});
    const pictureOf = async (name) => (await fetch(name)).blob();
    const portrait = await pictureOf('/astronaut.jpg');
    const meter = await pictureOf('/meter.jpg');

    const single = await client.detectSingleFace(portrait, { landmarks: true });
    const all = await client.detectAllFaces(portrait, { minScore: 0.5, crop: false });
    const reading = await client.readMeter(meter, { expectedDigits: 8 });
    const dataUrl = await new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.readAsDataURL(meter);
    });
    const again = await client.readMeterDataUrl(dataUrl);
    await client.setDetectionScore('acme', 'correct horse', 0.65);
    const score = await client.getDetectionScore('acme', 'correct horse');
    const refusal = await client.detectSingleFace(meter).catch((error) => error);
    return {
      noseTip: typeof single.landmarks.nose_tip.x,
      faces: all.result.length,
      values: [reading.value, again.value],
      score: score.detection_score,
      refused: [refusal.name, refusal.reason],
    };
  })()`);

  assert.deepEqual(answers, {
    noseTip: 'number',
    faces: 1,
    values: ['00473.286', '00473.286'],
    score: 0.65,
    refused: ['RefusedError', 'NO_FACE'],
  });
});

/** Serves a page, the client and the samples; gives its origin. */
async function servePage(t: TestContext): Promise<string> {
  const client = new URL('.', import.meta.resolve('image-analysis/rest'));
  const samples = new URL('../../../samples/', import.meta.url);
  const page = '<!doctype html><link rel="icon" href="data:,"><title>A page</title>';
  const server = createServer((request, response) => {
    const name = (request.url ?? '/').slice(1);
    const [folder, type] = name.endsWith('.js')
      ? [client, 'text/javascript']
      : [samples, name === '' ? 'text/html' : 'image/jpeg'];
    response.setHeader('content-type', type);
    if (name === '') response.end(page);
    else createReadStream(new URL(name, folder)).pipe(response);
  });
  return `http://127.0.0.1:${await listen(t, server)}`;
}
