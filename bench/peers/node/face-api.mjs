import { createRequire } from 'node:module';
import path from 'node:path';
import sharp from 'sharp';
import { serve } from './serve.mjs';

// @vladmandic/face-api on tfjs-wasm, with its default network (SSD MobileNet v1) or, NET=tiny, its
// small one. A picture larger than Full HD is shrunk before: the networks see 512 or 416 pixels.

const require = createRequire(import.meta.url);
require('@tensorflow/tfjs');
const wasm = require('@tensorflow/tfjs-backend-wasm');
const faceapi = require('@vladmandic/face-api/dist/face-api.node-wasm.js');
const packageFolder = (name) => path.dirname(require.resolve(`${name}/package.json`));

wasm.setWasmPaths(path.join(packageFolder('@tensorflow/tfjs-backend-wasm'), 'dist') + path.sep);
await faceapi.tf.setBackend('wasm');
await faceapi.tf.ready();
const isTiny = process.env.NET === 'tiny';
const net = isTiny ? faceapi.nets.tinyFaceDetector : faceapi.nets.ssdMobilenetv1;
await net.loadFromDisk(path.join(packageFolder('@vladmandic/face-api'), 'model'));
const options = isTiny
  ? new faceapi.TinyFaceDetectorOptions()
  : new faceapi.SsdMobilenetv1Options({ maxResults: 1000 });

serve(async (bytes) => {
  const { data, info } = await sharp(bytes)
    .rotate()
    .resize(1920, 1920, { fit: 'inside', withoutEnlargement: true })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const picture = faceapi.tf.tensor3d(data, [info.height, info.width, 3], 'int32');
  try {
    const faces = await faceapi.detectAllFaces(picture, options);
    return { found: `${faces.length} faces`, faces: faces.map(({ box, score }) => ({ box, score })) };
  } finally {
    picture.dispose();
  }
});
