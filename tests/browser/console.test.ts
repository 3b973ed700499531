import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import sharp from 'sharp';
import { noChromium, openPage, startBrowser } from '../helpers/browser.js';
import { deferred } from '../helpers/deferred.js';
import { eventually } from '../helpers/eventually.js';
import { createLifetime } from '../helpers/lifetime.js';
import { listen } from '../helpers/net/listen.js';
import { startPrefixProxy } from '../helpers/net/prefix-proxy.js';
import { readSample } from '../helpers/pictures/samples.js';
import { startService, type TestService } from '../helpers/service/service.js';
import { createTemporaryFolder } from '../helpers/temporary-folder.js';

// The console and the REST reference in a real browser before the real service.

const lifetime = createLifetime();

let service: TestService;
let browser: Browser;

before(async () => {
  if (noChromium) return;
  service = await startService(lifetime, { REST_MAX_BATCH_FILES: '3' });
  await service.createCompany('acme', 'correct hörse');
  browser = await startBrowser();
  lifetime.after(() => browser.close());
});

describe('the web console', { skip: noChromium }, () => {
  /** A page whose options are there. */
  async function open(t: TestContext, options?: BrowserContextOptions, address = service.rest) {
    const page = await openPage(t, browser, `${address}/`, options);
    await page.getByText('Options').waitFor();
    return page;
  }

  async function useKey(page: Page) {
    await page.getByLabel('API key').fill(service.apiKey);
    await page.getByRole('button', { name: 'Use' }).click();
  }

  async function openWithKey(...args: Parameters<typeof open>) {
    const page = await open(...args);
    await useKey(page);
    return page;
  }

  const textOf = async (page: Page, selector: string) => (await page.locator(selector).textContent()) ?? '';

  /** Waits until the summary of the result says this. */
  const said = (page: Page, text: string | RegExp) => page.locator('#summary').filter({ hasText: text }).waitFor();

  /** Waits until the page warns of this. */
  const warned = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text }).waitFor();

  async function trySample(page: Page, name: 'face' | 'meter', summary: string) {
    await page.getByRole('button', { name: `Try a ${name}` }).click();
    await said(page, summary);
  }

  /** Keeps the next answer from there back until `release`; `asked` resolves once it is asked for. */
  async function hold(page: Page, url: string | RegExp, answer = (route: Route) => route.continue()) {
    const [asked, released] = [deferred(), deferred()];
    await page.route(
      url,
      async (route) => {
        asked.resolve();
        await released.promise;
        await answer(route);
      },
      { times: 1 },
    );
    return { asked: asked.promise, release: () => released.resolve() };
  }

  /** Chooses pictures by their names. */
  const choose = (page: Page, pictures: Readonly<Record<string, Buffer>>) =>
    page
      .locator('#file')
      .setInputFiles(Object.entries(pictures).map(([name, buffer]) => ({ name, mimeType: 'image/jpeg', buffer })));

  it('asks for a key, keeps it in the tab, and shows the face of a sample', async (t) => {
    const page = await open(t);
    assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0);
    await page.getByRole('button', { name: 'Try a face' }).click();
    await warned(page, 'Enter an API key first.');
    assert.equal(await page.evaluate('document.activeElement.id'), 'key');
    // The browser says that it is empty.
    await page.getByText('Options').focus();
    await page.getByRole('button', { name: 'Use' }).click();
    assert.equal(await page.evaluate('document.activeElement.id'), 'key');
    assert.equal(await page.locator('#json').textContent(), 'No response.');
    assert.equal(await page.getByRole('button', { name: 'Copy response' }).count(), 0);

    await useKey(page);
    await said(page, /^1 face, best score 0\.\d{3}, in \d+ ms\.$/);
    assert.equal(await page.evaluate('document.activeElement.localName'), 'summary');
    assert.equal(await page.locator('#overlay .face .box').count(), 1);
    assert.match(await textOf(page, '#overlay .label'), /^0\.\d\d$/);
    assert.equal(await page.locator('#overlay .point').count(), 5);
    assert.equal(await page.locator('.faces img').count(), 1);

    assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 2);
    assert.equal(await page.getByRole('group', { name: /^curl command$|^Response as JSON$/ }).count(), 2);
    const curl = await textOf(page, '#curl');
    assert.match(curl, /^curl -H "apikey: \$APIKEY" \\\n {2}-F file=@samples\/astronaut\.jpg/);
    assert.ok(curl.includes(`${service.rest}/face_detect_multi`));
    assert.match(await textOf(page, '#json'), /"face": ".{40}… \(\d+ characters\)"/);

    const kept = await page.evaluate('[sessionStorage.length, localStorage.length, document.cookie]');
    assert.deepEqual(kept, [1, 0, '']);
    assert.ok(!(await page.content()).includes(service.apiKey));
    await page.reload();
    assert.equal(await page.locator('#key').inputValue(), service.apiKey);
  });

  it('works where the browser forbids to keep the key', async (t) => {
    const page = await open(t);
    await page
      .context()
      .addInitScript(
        `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('denied', 'SecurityError'); } })`,
      );
    await page.reload();
    await useKey(page);
    await trySample(page, 'face', '1 face');
    assert.equal(await page.locator('#key-state').textContent(), '');
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.locator('.auth-container input').fill(service.apiKey);
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Remove authorization' }).waitFor();
  });

  it('asks again as the threshold is moved, and saves it for a company', async (t) => {
    const page = await openWithKey(t);
    await trySample(page, 'face', '1 face');

    const slider = page.getByRole('slider', { name: 'Threshold' });
    assert.notEqual(await slider.inputValue(), '0.5');
    await slider.focus();
    await page.keyboard.press('End');
    await said(page, 'No faces');
    assert.match(await textOf(page, '#curl'), /-F min_score=1 /);
    await page.getByRole('button', { name: 'Reset' }).click();
    await said(page, '1 face');

    await page.getByText('Company', { exact: true }).click();
    await page.getByLabel('Name').fill('acme');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Save threshold' }).click();
    await page.locator('#company-status').filter({ hasText: 'the password is wrong' }).waitFor();

    await page.getByLabel('Password').fill('correct hörse');
    await slider.focus();
    await page.keyboard.press('End');
    await page.getByRole('button', { name: 'Save threshold' }).click();
    await page.locator('#company-status').filter({ hasText: 'the threshold of acme is 1.' }).waitFor();
    await page.locator('#score-source').filter({ hasText: 'The threshold of acme' }).waitFor();
    await said(page, 'No faces');
    assert.ok(!(await page.content()).includes('correct hörse'));

    const stored = await fetch(`${service.rest}/v1/companies/acme/detection-score`, {
      headers: { apikey: service.apiKey, 'x-company-password': Buffer.from('correct hörse').toString('latin1') },
    });
    assert.equal(((await stored.json()) as { detection_score: number }).detection_score, 1);
  });

  it('saves the score that it shows, and none while it shows none', async (t) => {
    const page = await openWithKey(t);
    await service.createCompany('precise', 'a password');
    const stored = await fetch(`${service.rest}/v1/companies/precise/detection-score`, {
      method: 'PUT',
      headers: { apikey: service.apiKey, 'x-company-password': 'a password' },
      body: '{"detection_score": 0.873512}',
    });
    assert.equal(stored.status, 200);
    const shown = page.locator('#score-value');
    const save = page.getByRole('button', { name: 'Save threshold' });
    const status = page.locator('#company-status');
    const sent: (string | null)[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/v1/companies/')) sent.push(`${request.method()} ${request.postData() ?? ''}`);
    });
    await page.getByText('Company', { exact: true }).click();
    assert.equal(await shown.textContent(), '–');
    assert.equal(await save.isDisabled(), true);

    const show = page.getByRole('button', { name: 'Show', exact: true });
    await show.click();
    assert.equal(await page.evaluate('document.activeElement.id'), 'company');
    await page.getByLabel('Name').fill('precise');
    await show.click();
    assert.equal(await page.evaluate('document.activeElement.id'), 'password');
    assert.deepEqual(sent, []);

    await page.getByLabel('Password').fill('a password');
    await show.click();
    await status.filter({ hasText: 'The threshold of precise is 0.873512.' }).waitFor();
    assert.equal(await shown.textContent(), '0.873512');
    await save.click();
    await status.filter({ hasText: 'Saved: the threshold of precise is 0.873512.' }).waitFor();
    assert.deepEqual(sent, ['GET ', 'PUT {"detection_score":0.873512}']);
  });

  it('draws the digits of a meter, and marks the one that is pointed at', async (t) => {
    const page = await openWithKey(t);
    await trySample(page, 'meter', 'm³');
    const shown = (await page.locator('.wheels b').allTextContents()).join('');
    const drawn = (await page.locator('#overlay .digit .read').allTextContents()).join('');
    const answer = JSON.parse(await textOf(page, '#json')) as { meter_number: string };
    assert.match(answer.meter_number, /^\d{5,}$/);
    assert.deepEqual([shown, drawn], [answer.meter_number, answer.meter_number]);
    assert.match(await textOf(page, '#overlay .label'), /^\d\d(\.\d)?%$/);
    await page.locator('.wheels button').nth(2).focus();
    assert.equal(await page.locator('#overlay .marked').getAttribute('data-index'), '2');
    assert.equal(await page.locator('#threshold').isVisible(), false);
  });

  it('asks about all pictures of the strip, and reads photos of one meter as one', async (t) => {
    const page = await openWithKey(t);
    const [face, meter] = await Promise.all([readSample('astronaut.jpg'), readSample('meter.jpg')]);
    const captions = () => page.locator('#strip small').allTextContents();
    await choose(page, { 'a.jpg': face, 'b.jpg': meter, 'c.jpg': face.subarray(0, 300) });
    await said(page, '1 face');
    assert.equal(await page.getByRole('button', { name: 'Read as one meter' }).isVisible(), false);
    await page.getByRole('button', { name: 'Analyse all' }).click();
    await said(page, '3 pictures, 1 refused');
    assert.deepEqual(await page.locator('#saves button').filter({ visible: true }).allTextContents(), ['Save JSON']);
    assert.deepEqual(await captions(), ['1 face', 'No faces', 'Corrupt image']);
    assert.match(await textOf(page, '#curl'), /file=@a\.jpg[^]*file=@c\.jpg[^]*v1\/faces\/batch$/);

    // What is wanted now is asked of all of them again.
    await page.getByRole('slider', { name: 'Threshold' }).focus();
    await page.keyboard.press('End');
    await page.locator('#strip', { hasText: 'No facesNo facesCorrupt image' }).waitFor();
    await page.getByRole('button', { name: 'b.jpg' }).click();
    await said(page, 'No faces');
    assert.equal(await page.locator('#saves button').filter({ visible: true }).count(), 3);
    assert.equal((await captions())[2], 'Corrupt image');

    await page.getByText('Water meter').click();
    assert.deepEqual(await captions(), ['', '', '']);
    await choose(page, { 'face.jpg': face, 'meter.jpg': meter });
    await warned(page, 'shows no counter');
    await page.getByRole('button', { name: 'Read as one meter' }).click();
    await said(page, /^00473\.286 m³, .*, from 1 of 2 photos, in/);
    assert.deepEqual(await captions(), ['No reading', '00473.286']);
    assert.equal(await page.locator('#strip [aria-current]').getAttribute('title'), 'meter.jpg');
    assert.equal(await page.locator('#picture').getAttribute('alt'), 'The picture meter.jpg');
    assert.equal(await page.locator('#overlay .digit .read').count(), 8);
    await page.getByRole('button', { name: 'Analyse all' }).click();
    await said(page, '2 pictures, 1 refused');
    await choose(page, { 'face.jpg': face, 'again.jpg': face });
    await page.getByRole('button', { name: 'Analyse all' }).click();
    await said(page, '2 pictures, 2 refused');
  });

  it('takes more pictures than one request does, but not as photos of one meter', async (t) => {
    const page = await openWithKey(t);
    const face = await readSample('astronaut.jpg');
    const entryOf = (at: number): [string, Buffer] => [`${at}.jpg`, at === 4 ? face.subarray(0, 300) : face];
    const give = (count: number) =>
      choose(page, Object.fromEntries(Array.from({ length: count }, (_, at) => entryOf(at))));
    await give(5);
    await said(page, '1 face');
    await page.getByRole('button', { name: 'Analyse all' }).click();
    await said(page, '5 pictures, 1 refused');
    const found = ['1 face', '1 face', '1 face', '1 face', 'Corrupt image'];
    assert.deepEqual(await page.locator('#strip small').allTextContents(), found);
    const lines = JSON.parse(await textOf(page, '#json')) as { index: number }[];
    assert.deepEqual(lines.map(({ index }) => index).sort(), [0, 1, 2, 3, 4]);
    const curl = await textOf(page, '#curl');
    assert.deepEqual(curl.match(/^curl|\d\.jpg/gm), ['curl', '0.jpg', '1.jpg', '2.jpg', 'curl', '3.jpg', '4.jpg']);
    assert.ok(curl.lastIndexOf('landmarks=true') < curl.indexOf('3.jpg'));

    await page.getByText('Water meter').click();
    await give(9);
    await warned(page, 'shows no counter');
    await page.getByRole('button', { name: 'Read as one meter' }).click();
    await warned(page, /^Read as one meter takes at most 8 pictures; 9 are chosen\.$/);
  });

  it('shows the beginning of a long response, and copies all of it', async (t) => {
    const page = await openWithKey(t, { permissions: ['clipboard-read', 'clipboard-write'] });
    const face = await readSample('astronaut.jpg');
    await choose(page, { 'a.jpg': face, 'b.jpg': face });
    await said(page, '1 face');
    const faces = Array.from({ length: 5_000 }, () => ({ bbox: { xmax: 4, xmin: 1, ymax: 4, ymin: 1 } }));
    const lines = [0, 1].map((index) => ({ index, message: 'success', result: faces }));
    await page.route('**/v1/faces/batch', (route) =>
      route.fulfill({ body: lines.map((line) => `${JSON.stringify(line)}\n`).join('') }),
    );
    await page.getByRole('button', { name: 'Analyse all' }).click();
    await said(page, '2 pictures, in');
    const shown = await textOf(page, '#json');
    assert.ok(shown.length < 101_000 && shown.endsWith('\n… Copy or save it to see the rest.'), shown.slice(-100));
    await page.getByRole('button', { name: 'Copy response' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.deepEqual(JSON.parse(copied), lines);
  });

  it('offers the values of an option, and names what leaves out all faces', async (t) => {
    const page = await openWithKey(t);
    await trySample(page, 'face', '1 face');
    await page.getByText('Options').click();
    const list = (await page.getByLabel('crop_format').getAttribute('list')) ?? '';
    const values = await page.evaluate<string[]>(
      `[...document.getElementById('${list}').children].map(({ value }) => value)`,
    );
    assert.deepEqual(values, ['jpeg', 'png', 'webp']);
    await page.getByLabel('min_quality').pressSequentially('0,5');
    await page.getByLabel('min_quality').blur();
    await warned(page, '0,5');
    await page.getByLabel('min_quality').fill('1');
    await page.getByLabel('min_quality').blur();
    await said(page, /^No faces, in \d+ ms\. Lower the threshold or min_quality, or/);
    await page.getByLabel('max_faces').fill('0');
    await page.getByLabel('max_faces').blur();
    await warned(page, /^max_faces is 0, want/);
  });

  it('keeps an option while another mode is chosen, which may not have it', async (t) => {
    const page = await open(t);
    await page.getByText('Options').click();
    await page.getByLabel('max_faces').fill('3');
    await page.getByLabel('landmarks').uncheck();
    for (const mode of ['Largest face', 'Water meter', 'All faces']) await page.getByText(mode).click();
    assert.equal(await page.getByLabel('max_faces').inputValue(), '3');
    assert.equal(await page.getByLabel('landmarks').isChecked(), false);
  });

  it('has a phone offer points, and no capital letters by itself', async (t) => {
    const page = await open(t);
    await page.getByLabel('crop_format').waitFor({ state: 'attached' });
    for (const mode of ['All faces', 'Water meter']) {
      await page.getByText(mode, { exact: true }).click();
      const typed = await page.evaluate<string[]>(
        `[...document.querySelectorAll('#company, #options input:not([type=checkbox])')]
          .map(({ inputMode, autocapitalize }) => inputMode + ' ' + autocapitalize)`,
      );
      assert.deepEqual([...new Set(typed)].sort(), [' none', 'numeric none', 'text none']);
    }
  });

  it('zooms in and out, and saves the picture with its boxes, and the response', async (t) => {
    const page = await openWithKey(t);
    await trySample(page, 'face', '1 face');
    const widthOf = async (selector: string) => (await page.locator(selector).boundingBox())?.width ?? 0;
    const fitted = await widthOf('#picture');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    assert.ok(Math.abs((await widthOf('#picture')) / fitted - 1.5) < 0.01);
    assert.equal(await widthOf('#overlay'), await widthOf('#picture'));
    await page.getByRole('button', { name: 'Zoom out' }).click();
    assert.equal(await widthOf('#picture'), fitted);

    const download = async (button: string) => {
      const started = page.waitForEvent('download');
      await page.getByRole('button', { name: button }).click();
      const file = await started;
      return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
    };
    const picture = await download('Save picture');
    assert.equal(picture.name, 'astronaut-annotated.png');
    const sample = sharp(await readSample('astronaut.jpg'));
    const { width, height } = await sample.metadata();
    const { data, info } = await sharp(picture.bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height], [width, height]);
    const plain = await sample.removeAlpha().raw().toBuffer();
    const changed = plain.filter((value, index) => Math.abs(value - (data[index] ?? 0)) > 60).length / plain.length;
    assert.ok(changed > 0.001 && changed < 0.05, `${changed} of the picture is drawn over`);

    const hidden = await download('Hide faces');
    assert.equal(hidden.name, 'astronaut-redacted.jpg');
    const { width: hiddenWidth } = await sharp(hidden.bytes).metadata();
    assert.equal(hiddenWidth, width);
    assert.match(await textOf(page, '#curl'), /v1\/faces\/redact/);
    assert.equal(await page.locator('#json').textContent(), 'No response yet.');

    const answer = await download('Save JSON');
    assert.equal(answer.name, 'astronaut.json');
    assert.equal((JSON.parse(answer.bytes.toString()) as { message: string }).message, 'success');
  });

  it('zooms around the middle, and around the pointer, also of a picture that is narrower than its place', async (t) => {
    const page = await openWithKey(t, { viewport: { width: 1366, height: 800 } });
    const tall = await sharp(await readSample('astronaut.jpg'))
      .resize(200, 600)
      .toBuffer();
    await choose(page, { 'tall.jpg': tall });
    await said(page, '1 face');
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      assert.ok(box);
      return box;
    };
    const canvas = await boxOf('#canvas');
    const [x, y] = [canvas.x + canvas.width / 2, canvas.y + canvas.height / 2];
    /** What of the picture is `right` of the middle. */
    const seen = async (right = 0) => {
      const picture = await boxOf('#picture');
      return [(x + right - picture.x) / picture.width, (y - picture.y) / picture.height] as const;
    };
    const stays = async (was: readonly number[], right?: number) => {
      const is = await seen(right);
      is.forEach((share, side) =>
        assert.ok(Math.abs(share - (was[side] ?? 0)) < 0.01, `${is.join()}, not ${was.join()}`),
      );
    };
    const atFirst = await seen();
    for (let step = 0; step < 5; step++) await page.getByRole('button', { name: 'Zoom in' }).click();
    assert.ok((await boxOf('#picture')).width > canvas.width);
    await stays(atFirst);
    for (let step = 0; step < 5; step++) await page.getByRole('button', { name: 'Zoom out' }).click();

    const pointed = await seen(20);
    await page.mouse.move(x + 20, y);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -400);
    await eventually(() => page.evaluate<boolean>('canvas.scrollWidth > canvas.clientWidth'));
    await stays(pointed, 20);

    await choose(page, { 'line.jpg': await sharp(tall).resize(1, 5000, { fit: 'fill' }).toBuffer() });
    await said(page, 'No faces');
    const { height } = await boxOf('#picture');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    assert.equal(Math.round((await boxOf('#picture')).height / height), 2);
  });

  it('names a saved picture after the one that it shows', async (t) => {
    const page = await openWithKey(t);
    const face = await readSample('astronaut.jpg');
    await choose(page, { 'a.jpg': face, 'b.jpg': face });
    await said(page, '1 face');
    await page.evaluate(`{
      const { toBlob } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.toBlob = function (...given) { window.goOn = () => toBlob.apply(this, given); };
    }`);
    await page.getByRole('button', { name: 'Save picture' }).click();
    await eventually(() => page.evaluate<boolean>('window.goOn !== undefined'));
    await page.getByRole('button', { name: 'b.jpg' }).click();
    const started = page.waitForEvent('download');
    await page.evaluate('goOn()');
    assert.equal((await started).suggestedFilename(), 'a-annotated.png');
  });

  it('keeps the result while faces are hidden, and where that fails', async (t) => {
    const page = await openWithKey(t);
    await trySample(page, 'face', '1 face');
    const hide = page.getByRole('button', { name: 'Hide faces' });
    const alert = page.getByRole('alert');
    const holdRefusal = async () => {
      const { asked, release } = await hold(page, '**/v1/faces/redact', (route) =>
        route.fulfill({ status: 429, json: { reason: 'QUEUE_FULL', message: 'all is taken' } }),
      );
      await hide.click();
      await asked;
      return release;
    };
    const release = await holdRefusal();
    await page.locator('#busy').waitFor();
    assert.equal(await hide.isDisabled(), true);
    release();
    await warned(page, 'All is taken.');
    assert.equal(await hide.isDisabled(), false);
    assert.equal(await page.locator('#save-hidden:focus').count(), 1);
    assert.equal(await page.locator('#busy').isVisible(), false);
    assert.equal(await page.locator('#overlay .box').count(), 1);
    await said(page, '1 face');

    const releaseLate = await holdRefusal();
    await trySample(page, 'face', '1 face');
    const answered = page.waitForResponse('**/v1/faces/redact');
    releaseLate();
    await answered;
    await page.locator('#save-hidden:not([aria-disabled])').waitFor();
    assert.equal(await alert.isVisible(), false);
    assert.match(await textOf(page, '#json'), /"result"/);
  });

  it('shows a score whose place is taken only when its face is pointed at', async (t) => {
    const page = await openWithKey(t);
    await page.route('**/face_detect_multi', async (route) => {
      const answer = (await (await route.fetch()).json()) as { result: { bbox: Record<string, number> }[] };
      const [face] = answer.result;
      const at = (x: number) => ({ ...face, bbox: { xmin: x, xmax: x + 9, ymin: 300, ymax: 309 } });
      await route.fulfill({ json: { ...answer, result: [at(10), at(12), at(300)] } });
    });
    await trySample(page, 'face', '3 faces');
    const shown = () => page.locator('#overlay .label').filter({ visible: true }).count();
    assert.equal(await shown(), 2);
    await page.locator('#overlay .face').nth(1).locator('.box').hover();
    assert.equal(await shown(), 3);
  });

  it('says what warnings mean, in the words of the document', async (t) => {
    const page = await openWithKey(t);
    await page.route('**/meter-number-ocr/file', async (route) => {
      const answer = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...answer, status: 'check', warnings: ['GLARE', 'NEWER_THAN_THIS_PAGE'] } });
    });
    await page.getByText('Water meter').click();
    await page.getByLabel('expected_digits').waitFor({ state: 'attached' });
    await trySample(page, 'meter', ', needs review, in');
    assert.deepEqual(await page.locator('.warnings li').allTextContents(), [
      'The counter reflects light.',
      'NEWER_THAN_THIS_PAGE',
    ]);

    const lines = ['check', 'ok'].map((status, index) =>
      JSON.stringify({ index, message: 'success', value: '1', status }),
    );
    await page.route('**/v1/meters/batch', (route) => route.fulfill({ body: `${lines.join('\n')}\n` }));
    const meter = await readSample('meter.jpg');
    await choose(page, { 'a.jpg': meter, 'b.jpg': meter });
    await said(page, 'needs review');
    await page.getByRole('button', { name: 'Analyse all' }).click();
    await said(page, '2 pictures');
    assert.deepEqual(await page.locator('#strip small').allTextContents(), ['1 needs review', '1']);
  });

  it('ends the page below its content, however many faces are listed', async (t) => {
    const page = await openWithKey(t);
    const face = {
      bbox: { xmin: 170, ymin: 60, xmax: 270, ymax: 190 },
      detection_score: '0.9000',
      face: (
        await sharp(await readSample('astronaut.jpg'))
          .resize(96)
          .toBuffer()
      ).toString('base64'),
    };
    await page.route('**/face_detect_multi', (route) =>
      route.fulfill({ json: { message: 'success', result: Array(100).fill(face) } }),
    );
    await trySample(page, 'face', '100 faces');
    const beyond = await page.evaluate(
      `document.documentElement.scrollHeight - document.body.getBoundingClientRect().bottom - scrollY`,
    );
    assert.ok(Number(beyond) <= 1, `${String(beyond)} px below the content`);
  });

  it('works below a prefix that a proxy takes away', async (t) => {
    const address = await startPrefixProxy(lifetime, service.rest);
    const page = await openWithKey(t, {}, address);
    await trySample(page, 'face', '1 face');
    const curl = await textOf(page, '#curl');
    assert.ok(curl.includes(`${address}/face_detect_multi`), curl);
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.locator('.opblock').first().waitFor();
    await page.getByRole('link', { name: 'Console' }).click();
    await page.getByRole('button', { name: 'Try a face' }).waitFor();
  });

  it('shows each response beside the curl command of its own request', async (t) => {
    const page = await openWithKey(t);
    await trySample(page, 'face', '1 face');
    const [curl, json] = [page.locator('#curl'), page.locator('#json')];
    const slider = page.getByRole('slider', { name: 'Threshold' });
    const hide = page.getByRole('button', { name: 'Hide faces' });

    const question = await hold(page, '**/face_detect_multi');
    await slider.press('End');
    await question.asked;
    assert.doesNotMatch(await textOf(page, '#curl'), /min_score/);
    assert.match(await textOf(page, '#json'), /"detection_score"/);
    await Promise.all([page.waitForEvent('download'), hide.click()]);
    assert.match(await textOf(page, '#curl'), /v1\/faces\/redact$/);
    assert.equal(await json.textContent(), 'No response yet.');
    question.release();
    await said(page, 'No faces');
    assert.match(await textOf(page, '#curl'), /-F min_score=1 [^]*face_detect_multi$/);
    assert.match(await textOf(page, '#json'), /"result": \[\]/);

    const redaction = await hold(page, '**/v1/faces/redact', (route) =>
      route.fulfill({ status: 429, json: { reason: 'QUEUE_FULL', message: 'all is taken' } }),
    );
    await hide.click();
    await redaction.asked;
    await page.getByRole('button', { name: 'Reset' }).click();
    await said(page, '1 face');
    await curl.filter({ hasText: /face_detect_multi$/ }).waitFor();
    redaction.release();
    await warned(page, 'All is taken.');
    assert.match(await textOf(page, '#curl'), /v1\/faces\/redact$/);
    assert.match(await textOf(page, '#json'), /"QUEUE_FULL"/);

    await page.getByText('Water meter').click();
    await warned(page, 'shows no counter');
    const sample = await hold(page, '**/samples/meter.jpg');
    await page.getByRole('button', { name: 'Try a meter' }).click();
    await sample.asked;
    assert.deepEqual([await curl.textContent(), await json.textContent()], ['No request yet.', 'No response yet.']);
    sample.release();
    await said(page, 'm³');
  });

  it('drops the answer about faces where a meter is asked for meanwhile', async (t) => {
    const page = await openWithKey(t);
    const dropped = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/face_detect_multi'));
    const { asked } = await hold(page, '**/face_detect_multi');
    const { release } = await hold(page, '**/samples/meter.jpg');
    await page.getByRole('button', { name: 'Try a face' }).click();
    await asked;
    await page.getByRole('button', { name: 'Try a meter' }).click();
    await dropped;
    assert.equal(await page.getByRole('alert').isVisible(), false);
    release();
    await said(page, 'm³');

    await hold(page, '**/samples/astronaut.jpg');
    await page.getByRole('button', { name: 'Try a face' }).click();
    const given = page.waitForEvent('requestfailed', (request) => request.url().endsWith('astronaut.jpg'));
    await choose(page, { 'chosen.jpg': await readSample('meter.jpg') });
    await given;
    await said(page, 'm³');
    assert.equal(await page.getByRole('alert').isVisible(), false);
  });

  it('shows no late answer once it asks for a key', async (t) => {
    const page = await openWithKey(t);
    const dropped = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/face_detect_multi'));
    const { asked } = await hold(page, '**/face_detect_multi');
    await page.getByRole('button', { name: 'Try a face' }).click();
    await asked;
    await page.getByLabel('API key').fill('');
    await page.getByRole('slider').press('End');
    await warned(page, 'Enter an API key first.');
    await dropped;
  });

  it('draws no reading of several photos over a picture that is chosen while the best of them is decoded', async (t) => {
    const page = await openWithKey(t);
    await page.getByText('Water meter').click();
    await choose(page, { 'face.jpg': await readSample('astronaut.jpg'), 'meter.jpg': await readSample('meter.jpg') });
    await warned(page, 'shows no counter');
    await page.evaluate(`HTMLImageElement.prototype.decode = function () {
      return new Promise((resolve) => (this.alt.endsWith('meter.jpg') ? (window.goOn = resolve) : resolve()));
    }`);
    await page.getByRole('button', { name: 'Read as one meter' }).click();
    await page.getByAltText('The picture meter.jpg').waitFor();
    await eventually(() => page.evaluate<boolean>('window.goOn !== undefined'));
    const { asked, release } = await hold(page, '**/meter-number-ocr/file');
    await page.getByRole('button', { name: 'face.jpg' }).click();
    await asked;
    await page.evaluate('goOn()');
    assert.equal(await page.locator('#findings > *, #overlay > *').count(), 0);
    release();
    await warned(page, 'shows no counter');
  });

  it('shows no result or problem of another picture or mode while it asks', async (t) => {
    const page = await openWithKey(t);
    const alert = page.getByRole('alert');
    const chooseFace = async () => choose(page, { 'a.jpg': await readSample('astronaut.jpg') });
    const isClearAfter = async (ask: () => Promise<void>) => {
      const { asked, release } = await hold(page, /face_detect_multi|meter-number-ocr/);
      await ask();
      await asked;
      // In a status that is shown already when the result comes, so that screen readers announce it.
      assert.equal(await page.getByRole('status').filter({ hasText: 'Analysing…' }).count(), 1);
      assert.equal(await alert.isVisible(), false);
      assert.equal(await page.locator('#findings > *, #overlay > *').count(), 0);
      assert.equal(await page.locator('#json').textContent(), 'No response yet.');
      assert.equal(await page.getByRole('button', { name: /Copy response|Save/ }).count(), 0);
      release();
    };

    await choose(page, { 'a.jpg': Buffer.from('no picture at all') });
    await alert.waitFor();
    assert.equal(await page.locator('#result').isVisible(), false);
    await isClearAfter(chooseFace);
    await said(page, '1 face');
    await isClearAfter(chooseFace);
    await said(page, '1 face');
    await isClearAfter(() => page.getByText('Water meter').click());
  });

  it('works before the options are there, and keeps a key that is typed while it is loaded', async (t) => {
    const page = await openWithKey(t);
    const script = await hold(page, '**/console/main.js');
    const document = await hold(page, '**/openapi.json');
    await page.reload({ waitUntil: 'commit' });
    await page.getByLabel('API key').fill(` ${service.apiKey}`);
    script.release();
    await page.waitForLoadState('load');
    assert.equal(await page.getByLabel('API key').inputValue(), ` ${service.apiKey}`);
    await page.getByRole('button', { name: 'Use' }).click();
    await trySample(page, 'face', '1 face');
    assert.equal(await page.getByText('Options').isVisible(), false);

    document.release();
    await page.locator('#curl').filter({ hasText: 'landmarks=true' }).waitFor();
    await page.locator('#overlay .point').first().waitFor();
    assert.equal(await page.getByText('Options').isVisible(), true);
  });

  it('works without the options, and says that they could not be loaded', async (t) => {
    const page = await openWithKey(t);
    for (const answer of [
      (route: Route) => route.abort(),
      (route: Route) => route.fulfill({ status: 503, json: { message: 'no upstream' } }),
    ]) {
      await page.route('**/openapi.json', answer);
      await page.reload();
      await page.getByRole('status').filter({ hasText: 'The options could not be loaded. Reload the page' }).waitFor();
      await trySample(page, 'meter', 'm³');
      await trySample(page, 'face', '1 face');
      // Otherwise a picture that is dropped would replace the page.
      const isTaken = await page.evaluate(
        `!document.body.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true }))`,
      );
      assert.equal(isTaken, true);
    }
  });

  it('draws boxes on the upright picture whatever its EXIF orientation', async (t) => {
    const page = await openWithKey(t);
    await page.getByText('Largest face').click();
    // Stored lying on its side, with the note that it is to be turned.
    const lying = await sharp(await readSample('astronaut.jpg'))
      .extract({ left: 100, top: 0, width: 300, height: 400 })
      .rotate(270)
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    await choose(page, { "a 'lying' one.jpg": lying });
    await said(page, '1 face');
    assert.equal(await page.locator('#overlay').getAttribute('viewBox'), '0 0 300 400');
    const [picture, overlay, box] = await Promise.all(
      ['#picture', '#overlay', '#overlay .face .box'].map((part) => page.locator(part).boundingBox()),
    );
    assert.ok(picture && overlay && box);
    for (const side of ['x', 'y', 'width', 'height'] as const)
      assert.ok(Math.abs(picture[side] - overlay[side]) < 1, side);
    // The face is in the upper half of the upright picture, and higher than wide.
    assert.ok(box.height > box.width);
    assert.ok(box.y + box.height < picture.y + picture.height / 2);
    assert.match(await textOf(page, '#curl'), /-F 'file=@"a '\\''lying'\\'' one\.jpg"'/);
  });

  it('takes pictures that are dropped, pasted, and from the camera', async (t) => {
    const page = await openWithKey(t);
    const give = async (event: string, name: string) => {
      const bytes = (await readSample('astronaut.jpg')).toString('base64');
      await page.evaluate(
        `(() => {
          const bytes = Uint8Array.from(atob('${bytes}'), (c) => c.charCodeAt(0));
          const data = new DataTransfer();
          data.items.add(new File([bytes], '${name}', { type: 'image/jpeg' }));
          const init = { bubbles: true, cancelable: true };
          const event = '${event}' === 'drop'
            ? new DragEvent('drop', { ...init, dataTransfer: data })
            : new ClipboardEvent('paste', { ...init, clipboardData: data });
          document.body.dispatchEvent(event);
        })()`,
      );
      await page
        .locator('#curl')
        .filter({ hasText: `file=@${name}` })
        .waitFor();
      await said(page, '1 face');
    };
    await give('drop', 'dropped.jpg');
    await give('paste', 'pasted.jpg');

    await page.getByRole('button', { name: 'Camera' }).click();
    await page.getByRole('button', { name: 'Take picture' }).click();
    await page.locator('#curl').filter({ hasText: 'file=@camera.jpg' }).waitFor();
    await said(page, 'No faces');
    assert.equal(await page.locator('#camera').isVisible(), false);
  });

  it('takes no picture of the text that is pasted into a field', async (t) => {
    const page = await open(t);
    const isTaken = (selector: string) =>
      page.evaluate<boolean>(`(() => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', 'ia_key');
        clipboardData.items.add(new File([''], 'cells.png', { type: 'image/png' }));
        const event = new ClipboardEvent('paste', { bubbles: true, clipboardData });
        document.querySelector('${selector}').dispatchEvent(event);
        return document.querySelector('#strip img') !== null;
      })()`);
    assert.equal(await isTaken('#key'), false);
    assert.equal(await isTaken('body'), true);
  });

  it('turns off every camera that it was given', async (t) => {
    const page = await open(t);
    await page.evaluate(`{
      const media = navigator.mediaDevices;
      const ask = media.getUserMedia.bind(media);
      window.waiting = [];
      window.streams = [];
      media.getUserMedia = async (wish) => {
        await new Promise((resolve) => waiting.push(resolve));
        const stream = await ask(wish);
        streams.push(stream);
        return stream;
      };
    }`);
    const cancel = page.getByRole('button', { name: 'Cancel' });
    await page.getByRole('button', { name: 'Camera' }).click();
    await cancel.click();
    await page.getByRole('button', { name: 'Camera' }).click();
    await page.evaluate('for (const goOn of waiting) goOn()');
    await eventually(() => page.evaluate<boolean>('streams.length === 2'));
    await page.locator('#shoot:enabled').waitFor();
    assert.equal(await page.locator('#camera-problem').isVisible(), false);
    await cancel.click();
    await eventually(() =>
      page.evaluate<boolean>(
        `streams.every((stream) => stream.getTracks().every(({ readyState }) => readyState === 'ended'))`,
      ),
    );
  });

  it('says what it does not take, and what the browser cannot show', async (t) => {
    const page = await openWithKey(t);
    const notice = (text: string) => page.locator('#notice').filter({ hasText: text }).waitFor();
    const drop = (fill: string) =>
      page.evaluate(
        `(() => {
          const dataTransfer = new DataTransfer();
          ${fill}
          document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, dataTransfer }));
        })()`,
      );
    await drop(`dataTransfer.setData('text/uri-list', 'https://example.org/a.jpg');`);
    await notice("That isn't a file.");
    const cdp = await page.context().newCDPSession(page);
    const data = { items: [], files: [path.resolve('samples')], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await cdp.send('Input.dispatchDragEvent', { type, x: 200, y: 300, data });
    await warned(page, 'The file samples cannot be read: it is a folder, or');
    const bytes = (await readSample('astronaut.jpg')).toString('base64');
    await drop(
      `const bytes = Uint8Array.from(atob('${bytes}'), (c) => c.charCodeAt(0));
      for (const name of ['one.jpg', 'two.jpg'])
        dataTransfer.items.add(new File([bytes], name, { type: 'image/jpeg' }));`,
    );
    await said(page, '1 face');
    await page.locator('#curl').filter({ hasText: 'file=@one.jpg' }).waitFor();
    await page.getByRole('button', { name: 'two.jpg' }).click();
    await page.locator('#curl').filter({ hasText: 'file=@two.jpg' }).waitFor();

    const tiff = await sharp(await readSample('astronaut.jpg'))
      .resize(256)
      .tiff()
      .toBuffer();
    await page.locator('#file').setInputFiles({ name: 'scan.tiff', mimeType: 'image/tiff', buffer: tiff });
    await notice("Your browser can't display scan.tiff; the service may still read it.");
    await page.locator('#curl').filter({ hasText: 'file=@scan.tiff' }).waitFor();
    await page.locator('#overlay[viewBox="0 0 256 256"] .box').waitFor({ state: 'attached' });
    assert.equal(await page.locator('.faces img').isVisible(), true);
    assert.equal(await page.locator('#picture').isVisible(), false);
    assert.equal(await page.locator('#empty').isVisible(), true);
    await page.getByRole('button', { name: 'Save picture' }).click();
    await warned(page, 'Your browser cannot display this picture, so it');
    assert.equal(await page.locator('.faces img').isVisible(), true);
    await page.getByRole('button', { name: 'Try a face' }).click();
    await page.locator('#picture').waitFor();
    assert.equal(await page.locator('#notice').textContent(), '');
  });

  it('says that a file cannot be read, not that the service is gone', async (t) => {
    const page = await openWithKey(t);
    const file = path.join(await createTemporaryFolder(lifetime), 'moved.jpg');
    await writeFile(file, await readSample('astronaut.jpg'));
    await page.locator('#file').setInputFiles(file);
    await said(page, '1 face');
    await rm(file);
    await page.getByText('Largest face').click();
    await warned(page, 'The file moved.jpg cannot be read: it is a folder, or');
  });

  it('reads only those of many pictures that are in view', async (t) => {
    const page = await open(t);
    const buffer = await readSample('astronaut.jpg');
    await choose(page, Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at}.jpg`, buffer])));
    const isRead = (name: string) =>
      page.evaluate<boolean>(`document.querySelector('#strip img[alt="${name}"]').naturalWidth > 0`);
    await eventually(() => isRead('0.jpg'));
    assert.equal(await isRead('99.jpg'), false);
    await page.locator('#strip img').last().scrollIntoViewIfNeeded();
    await eventually(() => isRead('99.jpg'));
  });

  it('shows no curl command that a terminal would obey when it is pasted', async (t) => {
    const page = await open(t);
    await choose(page, { 'a\u0003\nid\n\u001b[201~\u202e.jpg': await readSample('astronaut.jpg') });
    await page.locator('#curl').filter({ hasText: `-F 'file=@"a??id??[201~?.jpg"'` }).waitFor();
  });

  it('says what went wrong and what to do', async (t) => {
    const page = await openWithKey(t);
    await choose(page, { 'a.jpg': Buffer.from('no picture at all') });
    await warned(page, 'is of an unknown type, want JPEG');
    await choose(page, { 'b.jpg': (await readSample('astronaut.jpg')).subarray(0, 300) });
    await warned(page, 'is damaged or cut off');
    await page.getByLabel('API key').fill('ia_wrong_key');
    await page.getByRole('button', { name: 'Use' }).click();
    await warned(page, 'cut off when it was copied');
    assert.match(await textOf(page, '#json'), /"reason": "INVALID_API_KEY"/);
  });

  it('says when something other than the service answers', async (t) => {
    const page = await openWithKey(t);
    const loginPage = (route: Route) => route.fulfill({ contentType: 'text/html', body: '<h1>Sign in</h1>' });
    await page.route('**/samples/astronaut.jpg', loginPage, { times: 1 });
    const sample = page.getByRole('button', { name: 'Try a face' });
    await sample.click();
    await warned(page, 'The sample cannot be loaded from the service.');
    assert.equal(await page.locator('#figure').isVisible(), false);

    await page.route('**/face_detect_multi', loginPage, { times: 1 });
    await sample.click();
    await warned(page, "The answer with status 200 is not the service's, or was cut off. Reload the page, and");

    await sample.click();
    await said(page, '1 face');
    page.on('download', (file) => assert.fail(`${file.suggestedFilename()} was saved`));
    await page.route('**/v1/faces/redact', loginPage, { times: 1 });
    await page.getByRole('button', { name: 'Hide faces' }).click();
    await warned(page, "The answer with status 200 is not the service's");
  });

  it('says when an answer about several pictures breaks off', async (t) => {
    const server = createServer((_, answer) => {
      answer.writeHead(200, { 'content-type': 'application/x-ndjson' });
      answer.write('{"index":0,"message":"success","result":[]}\n');
    });
    const port = await listen(t, server);

    const page = await openWithKey(t);
    const face = await readSample('astronaut.jpg');
    await choose(page, { 'a.jpg': face, 'b.jpg': face });
    await said(page, '1 face');
    const analyseAll = page.getByRole('button', { name: 'Analyse all' });
    await page.route('**/v1/faces/batch', (route) => route.continue({ url: `http://127.0.0.1:${port}/` }), {
      times: 1,
    });
    await analyseAll.click();
    await page.locator('#strip').getByText('No faces').waitFor();
    server.closeAllConnections();
    await warned(page, 'The service cannot be reached. Is it still running?');

    for (const body of ['{"index":0,"mess', '<h1>Sign in</h1>\n']) {
      await page.route('**/v1/faces/batch', (route) => route.fulfill({ body }), { times: 1 });
      await analyseAll.click();
      await page
        .locator('#problem:not([hidden])')
        .filter({ hasText: "is not the service's, or was cut off" })
        .waitFor();
    }
  });

  it('marks the chosen mode where the system forces its own colours', async (t) => {
    const page = await open(t, { forcedColors: 'active' });
    const [mode, around] = await page.evaluate<string[]>(
      `['#modes input:checked + span', 'body'].map((part) => getComputedStyle(document.querySelector(part)).backgroundColor)`,
    );
    assert.notEqual(mode, around);
  });

  it('rings the mode that is chosen by keyboard, not by mouse', async (t) => {
    const page = await open(t);
    const ringed = () =>
      page.evaluate(`[...document.querySelectorAll('#modes span')].map((each) => getComputedStyle(each).outlineStyle)`);
    await page.getByText('Largest face').click();
    assert.deepEqual(await ringed(), ['none', 'none', 'none']);
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await ringed(), ['none', 'none', 'solid']);
  });

  it('rings the thumbnail or face that has the focus, also where it is the one that is shown', async (t) => {
    const page = await openWithKey(t);
    const face = await readSample('astronaut.jpg');
    await choose(page, { 'a.jpg': face, 'b.jpg': face });
    await said(page, '1 face');
    const outlineOf = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).outline`);
    const unfocused = await outlineOf('#strip button');
    for (const [list, next] of [
      ['#strip', '#strip button:last-child'],
      ['.faces', '#save-picture'],
    ] as const) {
      await page.locator(next).focus();
      await page.keyboard.press('Shift+Tab');
      const first = `${list} button`;
      assert.equal(await page.evaluate(`document.activeElement === document.querySelector('${first}')`), true);
      assert.notEqual(await outlineOf(first), unfocused);
      const [reach = 0, ...room] = await page.evaluate<number[]>(`(() => {
        const [button, list] = ['${first}', '${list}'].map((part) => document.querySelector(part));
        const { outlineWidth, outlineOffset } = getComputedStyle(button);
        const [inner, outer] = [button, list].map((each) => each.getBoundingClientRect());
        const room = [inner.left - outer.left, inner.top - outer.top, outer.bottom - inner.bottom];
        return [parseFloat(outlineWidth) + parseFloat(outlineOffset), ...room];
      })()`);
      assert.ok(reach <= Math.min(...room), `${list}: of a ring of ${reach} px, ${room.join()} px are in view`);
    }
  });

  it('puts the wheels of a long counter in rows on a phone, and the samples in one', async (t) => {
    const page = await openWithKey(t, { viewport: { width: 360, height: 800 } });
    await page.route('**/meter-number-ocr/file', async (route) => {
      const answer = (await (await route.fetch()).json()) as { digits: object[] };
      await route.fulfill({ json: { ...answer, digits: [...answer.digits, ...answer.digits.slice(0, 4)] } });
    });
    await trySample(page, 'meter', 'm³');
    const boxesOf = (selector: string) =>
      page.evaluate<{ left: number; right: number; top: number }[]>(
        `[...document.querySelectorAll('${selector}')].map((each) => each.getBoundingClientRect().toJSON())`,
      );
    const texts = await boxesOf('.wheels small');
    assert.equal(texts.length, 12);
    texts.forEach(({ left, top }, index) => {
      const before = texts[index - 1];
      assert.ok(before === undefined || before.top < top || before.right <= left, `wheel ${index} lies on another`);
    });
    assert.equal(new Set((await boxesOf('#samples button')).map(({ top }) => top)).size, 1);
  });

  it('shows what is wrong, and the strip, below a picture that a small window has room for', async (t) => {
    const page = await openWithKey(t, { viewport: { width: 1366, height: 650 } });
    const bottomOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      assert.ok(box);
      return box.y + box.height;
    };
    const [face, meter] = await Promise.all([readSample('astronaut.jpg'), readSample('meter.jpg')]);
    await page.getByText('Largest face').click();
    await choose(page, { 'a.jpg': meter, 'b.jpg': face });
    await warned(page, 'no face');
    assert.ok((await bottomOf('#problem')) < 650);
    await page.getByText('All faces').click();
    await said(page, 'No faces');
    assert.ok((await bottomOf('#ask-each')) < 650);
  });

  it('breaks a long name rather than be scrolled sideways', async (t) => {
    const page = await open(t, { viewport: { width: 320, height: 640 } });
    const tiff = await sharp(await readSample('astronaut.jpg'))
      .tiff()
      .toBuffer();
    await choose(page, { [`${'2024'.repeat(30)}.tiff`]: tiff });
    await page.locator('#notice').filter({ hasText: "can't display" }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
  });

  it('breaks the address of a command, not the line before it', async (t) => {
    const page = await open(t, { viewport: { width: 390, height: 844 } });
    await page.getByText('Try a face').click();
    await page.locator('#curl').filter({ hasText: 'http' }).waitFor();
    const [indent, start, end] = await page.evaluate<number[]>(`(() => {
      const text = document.querySelector('#curl').firstChild;
      const start = text.data.indexOf('http');
      const topAt = (at) => {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().top;
      };
      return [topAt(start - 1), topAt(start), topAt(text.length - 1)];
    })()`);
    assert.equal(indent, start);
    assert.notEqual(start, end);
  });

  it('sets what is typed in, and where, apart from what is around it', async (t) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(t, { colorScheme });
      const [edge, hint, inside, around] = await page.evaluate<string[]>(
        `[['#key', 'borderTopColor'], ['#key', 'color', '::placeholder'], ['#key', 'backgroundColor'], ['#key-panel', 'backgroundColor']]
          .map(([selector, name, part]) => getComputedStyle(document.querySelector(selector), part)[name])`,
      );
      assert.ok(contrast(edge, around) >= 3, `${edge} on ${around}`);
      assert.ok(contrast(hint, inside) >= 4.5, `${hint} on ${inside}`);
    }
  });

  it('has no barrier that axe finds, in both colour schemes and on a phone', async (t) => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
    const phone = { width: 390, height: 844 };
    for (const options of [
      { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
      { colorScheme: 'dark', viewport: phone },
    ] as const) {
      const page = await openWithKey(t, options);
      await page.evaluate(axe);
      for (const [sample, summary] of [
        ['face', '1 face'],
        ['meter', 'm³'],
      ] as const) {
        await trySample(page, sample, summary);
        await page.evaluate(`for (const panel of document.querySelectorAll('details')) panel.open = true`);
        for (let step = 0; step < 3; step++) await page.getByRole('button', { name: 'Zoom in' }).click();
        const violations = await page.evaluate(
          `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
        );
        assert.deepEqual(violations, [], `${sample}, ${options.colorScheme}`);
        const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        assert.equal(isWide, false, 'nothing has to be scrolled sideways');
      }
    }
  });
});

/** As WCAG defines it. */
function contrast(...colours: (string | undefined)[]): number {
  const [dark = 0, light = 0] = colours.map(luminance).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour = ''): number {
  const [r = 0, g = 0, b = 0] = (colour.match(/\d+/g) ?? [])
    .map((part) => Number(part) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

describe('the REST reference', { skip: noChromium }, () => {
  it('shows every operation, without another host and without a violated policy', async (t) => {
    const page = await openPage(t, browser, `${service.rest}/docs`);
    await page.locator('.opblock').first().waitFor();
    const document = (await (await fetch(`${service.rest}/openapi.json`)).json()) as { paths: Record<string, object> };
    const operations = Object.values(document.paths).flatMap((path) => Object.keys(path));
    assert.equal(await page.locator('.opblock').count(), operations.length);
    assert.equal(await page.getByRole('main').count(), 1);
    const introduction = page.locator('.information-container .description');
    assert.equal(await introduction.locator('p').filter({ visible: true }).count(), 1);
    await introduction.getByText('Requests, repetition and limits').click();
    await introduction.getByText('15.3 MiB').waitFor();
  });

  it('shares its key with the console of the same tab', async (t) => {
    const page = await openPage(t, browser, `${service.rest}/`);
    const key = page.getByLabel('API key');
    await key.fill(service.apiKey);
    await page.getByRole('button', { name: 'Use' }).click();
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByRole('button', { name: 'Remove authorization' }).click();
    await page.locator('.auth-container input').fill('ia_another');
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Console' }).click();
    await page.waitForURL(`${service.rest}/`, { waitUntil: 'load' });
    assert.equal(await key.inputValue(), 'ia_another');
  });

  it('sends a picture with what was filled in, and no example of a field, below a prefix too', async (t) => {
    const address = await startPrefixProxy(t, service.rest);
    const page = await openPage(t, browser, `${address}/docs`);
    await page.locator('.opblock').first().waitFor();
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.locator('.auth-container input').fill(service.apiKey);
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).click();

    const operation = page.locator('.opblock', { hasText: '/face_detect_multi' });
    await operation.locator('.opblock-summary').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await page.setViewportSize({ width: 360, height: 800 });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
    await operation.locator('input[type=file]').setInputFiles('samples/astronaut.jpg');
    await operation.getByPlaceholder('max_faces').fill('3');
    const answered = page.waitForResponse(/face_detect_multi/);
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = (await (await answered).json()) as { message: string; result: unknown[] };
    assert.deepEqual([answer.message, answer.result.length], ['success', 1]);
    assert.equal((await answered).url(), `${address}/face_detect_multi`);
    const curl = (await operation.locator('.curl').first().textContent()) ?? '';
    const fields = [...curl.matchAll(/-F '(\w+)=/g)].map(([, name]) => name);
    // In no order: of more than eight fields Swagger UI forgets it.
    assert.deepEqual(fields.sort(), ['file', 'max_faces']);
  });

  it('asks for a score, by an empty value', async (t) => {
    const page = await openPage(t, browser, `${service.rest}/docs`);
    const operation = page.locator('.opblock', { hasText: '/face_config_score' });
    await operation.locator('.opblock-summary').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByPlaceholder('detection').fill('');
    await operation.getByLabel('Send empty value').check();
    const asked = page.waitForRequest(/face_config_score/);
    await operation.getByRole('button', { name: 'Execute' }).click();
    assert.equal(new URL((await asked).url()).searchParams.get('detection'), '');
  });
});
