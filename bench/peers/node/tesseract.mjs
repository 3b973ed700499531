import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { createScheduler, createWorker } from 'tesseract.js';
import { serve } from './serve.mjs';

// Tesseract in its WebAssembly build with digits only, a worker a core.

const require = createRequire(import.meta.url);
const data = path.dirname(require.resolve('@tesseract.js-data/eng/package.json'));
const scheduler = createScheduler();
for (let at = 0; at < availableParallelism(); at += 1) {
  const worker = await createWorker('eng', 1, { langPath: path.join(data, '4.0.0_best_int'), cacheMethod: 'none' });
  await worker.setParameters({ tessedit_char_whitelist: '0123456789' });
  scheduler.addWorker(worker);
}

serve(async (bytes) => {
  const { data: page } = await scheduler.addJob('recognize', bytes);
  return { found: page.text.replaceAll(/\s+/g, ' ').trim().slice(0, 60) };
});
