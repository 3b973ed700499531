import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { decodeUpright } from '../../../core-server/image/decode/decode.js';
import { readHeader } from '../../../core-server/image/decode/open-picture.js';
import { scaledSize } from '../../../core-server/image/picture.js';
import { imageFile } from '../../helpers/pictures/image-file.js';
import { cpuClock } from '../cpu-clock.js';
import type { MeasuredDetector } from './measured-detector.js';

/** Where `make bench-peers` installs it. */
const modules = fileURLToPath(new URL('../../../../bench/peers/node/node_modules/', import.meta.url));

/** Its own documentation's threshold. */
const defaultScore = 0.5;
/** Its suppression takes seconds a picture below this. */
const lowestScore = 0.05;
/** It shrinks every picture to 512 pixels; decoding more would only cost time. */
const maxSide = 1024;
const anySize = { maxBytes: Infinity, maxPixels: Infinity, maxSide: Infinity };

// What is used of packages that are not installed with the project.
interface Tensor {
  dispose(): void;
}
interface FaceApi {
  tf: {
    setBackend(name: string): Promise<boolean>;
    ready(): Promise<void>;
    tensor3d(data: Uint8Array, shape: number[], type: 'int32'): Tensor;
  };
  nets: { ssdMobilenetv1: { loadFromDisk(folder: string): Promise<void> } };
  SsdMobilenetv1Options: new (options: { minConfidence: number; maxResults: number }) => object;
  detectAllFaces(
    image: Tensor,
    options: object,
  ): Promise<{ score: number; box: { left: number; top: number; right: number; bottom: number } }[]>;
}

/** SSD MobileNetV1 of face-api in one pass, one thread of WebAssembly; undefined when it is not installed. */
export async function openFaceApiSsd(): Promise<MeasuredDetector | undefined> {
  if (!existsSync(`${modules}@vladmandic/face-api`)) return undefined;
  const require = createRequire(modules);
  const wasm = require('@tensorflow/tfjs-backend-wasm') as { setWasmPaths(folder: string): void };
  wasm.setWasmPaths(`${modules}@tensorflow/tfjs-backend-wasm/dist/`);
  const { tf, nets, ...api } = require('@vladmandic/face-api/dist/face-api.node-wasm.js') as FaceApi;
  await tf.setBackend('wasm');
  await tf.ready();
  await nets.ssdMobilenetv1.loadFromDisk(`${modules}@vladmandic/face-api/model`);

  return {
    name: 'face-api SSD',
    defaultScore,
    async detect(bytes, minScore) {
      const file = await readHeader(imageFile(bytes), anySize);
      const scale = Math.min(1, maxSide / Math.max(file.size.width, file.size.height));
      const picture = await decodeUpright(file, scaledSize(file.size, scale));
      const tensor = tf.tensor3d(picture.data, [picture.height, picture.width, 3], 'int32');
      const options = new api.SsdMobilenetv1Options({
        minConfidence: Math.max(lowestScore, minScore),
        maxResults: 1000,
      });
      const start = cpuClock();
      const result = await api.detectAllFaces(tensor, options);
      const inferenceMs = cpuClock() - start;
      tensor.dispose();
      const faces = result.map(({ score, box }) => ({
        score,
        box: { xmin: box.left / scale, ymin: box.top / scale, xmax: box.right / scale, ymax: box.bottom / scale },
      }));
      return { faces, inferenceMs };
    },
    release: () => Promise.resolve(),
  };
}
