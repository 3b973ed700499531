import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Where Debian and others put it; CHROMIUM names another one. */
const places = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

const chromiumPath = places.find((place) => place !== '' && existsSync(place));

/** Word for tests that are skipped. */
export const noChromium =
  chromiumPath === undefined && 'no Chromium is installed (apt install chromium, or set CHROMIUM)';

/** A browser whose camera is a test picture. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [
      // The tests open their own pages only, and CI often runs as root, where there is no sandbox.
      '--no-sandbox',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
    ],
  });
}

/** A page until the test is over, which fails where the page had an error, violated its policy, or asked another host. */
export async function openPage(
  t: { after(end: () => unknown): unknown },
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  t.after(async () => {
    const found = [...problems];
    await context.close();
    assert.deepEqual(found, []);
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // Chromium logs every load that fails, by its status too, as an error; the page shows it to its user.
    const isLoad = message.text().startsWith('Failed to load resource: ');
    if (message.type() === 'error' && !isLoad) problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && new URL(request.url()).origin !== new URL(url).origin)
      problems.push(`asked ${request.url()}`);
  });
  await page.goto(url);
  return page;
}
