import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Ocr from '@gutenye/ocr-node';
import { serve } from './serve.mjs';

// @gutenye/ocr-node (PP-OCRv4) as its documentation shows it: it reads files, so each picture is one.

const ocr = await Ocr.create();
const folder = await mkdtemp(path.join(tmpdir(), 'ocr-node-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit(0));
let next = 0;

serve(async (bytes) => {
  const file = path.join(folder, `${next++}.jpg`);
  await writeFile(file, bytes);
  try {
    const lines = await ocr.detect(file);
    return {
      found: lines
        .map(({ text }) => text)
        .join(' ')
        .slice(0, 60),
    };
  } finally {
    await rm(file);
  }
});
