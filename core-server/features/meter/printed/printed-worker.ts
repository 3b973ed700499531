import { setTimeout as wait } from 'node:timers/promises';
import { splitIntoLineImages } from '@gutenye/ocr-common/splitIntoLineImages';
import Ocr, { ImageRawBase, registerBackend } from '@gutenye/ocr-node';
import type { RgbPicture } from '../../../image/picture.js';
import { resizePicture } from '../../../image/resize/resize-picture.js';
import type { FloatTensor } from '../../../inference/models/tensors.js';
import { serveTasks } from '../../../inference/pool/serve-tasks.js';
import { openPaddleOcr } from './paddle-ocr.js';
import type { LibraryTasks } from './printed-reader.js';
import type { PrintedLine } from './printed-text.js';

// The pipeline of @gutenye/ocr-node, in a thread of its own: its process-wide error hooks and the matrices that it
// never frees end with the thread. It gets pixels in place of a path, and our sessions, which check hashes and
// normalise what goes in as in the models' training: without that, which the library leaves out, it reads a third less.

/** The picture type that the library works with: four bytes a pixel. */
class Picture extends ImageRawBase {
  static open({ data, width, height }: RgbPicture): Promise<Picture> {
    const rgba = new Uint8Array(width * height * 4).fill(255);
    for (let from = 0, to = 0; from < data.length; from += 3, to += 4) {
      rgba.set(data.subarray(from, from + 3), to);
    }
    return Promise.resolve(new Picture({ data: rgba, width, height }));
  }

  /** Without a width, in proportion. */
  resize({ width, height }: { width?: number; height: number }): Promise<Picture> {
    const rgb = new Uint8Array(this.width * this.height * 3);
    for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3) {
      rgb.set(this.data.subarray(from, from + 3), to);
    }
    const size = { width: width ?? Math.ceil((this.width * height) / this.height), height };
    return Picture.open(resizePicture({ data: rgb, width: this.width, height: this.height }, size));
  }
}

/** Widths of all lines together, in their heights: of 42 photos of meters, the fullest had 86. */
const mostText = 400;

/** Leaves out what no meter's face has room for: a page of small print would take a minute, and all of the memory. */
const splitIntoFewLines: typeof splitIntoLineImages = async (map, face) => {
  const lines = await splitIntoLineImages(map, face);
  let left = mostText;
  return lines.filter(({ image }) => (left -= image.width / image.height) >= 0);
};

const networks = await openPaddleOcr();

registerBackend({
  ImageRaw: Picture,
  FileUtils: { read: () => Promise.resolve(networks.dictionary) },
  InferenceSession: {
    create(name: 'detect' | 'recognise') {
      return Promise.resolve({
        inputNames: ['image'],
        outputNames: ['output'],
        run: async ({ image }: { image: FloatTensor }) => ({ output: await networks[name].run(image) }),
      });
    },
  },
  splitIntoLineImages: splitIntoFewLines,
  defaultModels: { detectionPath: 'detect', recognitionPath: 'recognise', dictionaryPath: 'dictionary' },
});

interface LibraryOcr {
  detect(picture: RgbPicture): Promise<readonly { text: string; mean: number }[]>;
}

/** OpenCV goes on loading after its import, and the library does not wait for it. */
async function openCvLoaded(): Promise<void> {
  const blank = await Picture.open({ data: new Uint8Array(12), width: 2, height: 2 });
  for (let attempt = 0; ; attempt++) {
    try {
      await splitIntoLineImages(blank, blank);
      return;
    } catch (error) {
      if (attempt === 1_000) throw error;
      await wait(10);
    }
  }
}

await openCvLoaded();
const ocr = (await Ocr.create()) as LibraryOcr;

serveTasks<LibraryTasks>({
  handlers: {
    async readLines(face): Promise<PrintedLine[]> {
      return (await ocr.detect(face)).map(({ text, mean }) => ({ text, confidence: mean }));
    },
  },
  release: () => networks.release(),
});
