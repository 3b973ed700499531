import { setTimeout as sleep } from 'node:timers/promises';
import type { AnalysisTasks } from '../../../core-server/compose/analysis-models.js';
import { serveTasks } from '../../../core-server/inference/pool/serve-tasks.js';
import { readScript, stage } from '../pictures/scripted-pictures.js';

// A worker in place of the real one: its tasks do what the picture tells, so that a test decides when
// an analysis ends, and how.

if (stage.isBarred()) throw new Error('The stage is barred.');

async function play(picture: Uint8Array): Promise<Uint8Array[]> {
  const { name, then, cropBytes } = readScript(picture);
  stage.tellBegun(name);
  if (then === 'exit') process.exit(3);
  while (then === 'wait' && !stage.isReleased(name)) await sleep(2);
  return cropBytes === 0 ? [] : [new Uint8Array(cropBytes)];
}

serveTasks<AnalysisTasks>({
  handlers: {
    async detectFaces({ image }) {
      const boundingBox = { xmin: 0, ymin: 0, xmax: 1, ymax: 1 };
      const faces = (await play(image.bytes)).map((cropJpeg) => ({
        boundingBox,
        detectionScore: 1,
        cropJpeg,
        landmarks: undefined,
        attributes: undefined,
      }));
      return { width: 1, height: 1, faces, omittedFaces: 0, timings: {} };
    },
    async redactFaces({ image }) {
      const [file = new Uint8Array()] = await play(image.bytes);
      return { width: 1, height: 1, file, format: 'jpeg', faceCount: 1, timings: {} };
    },
    async readMeter({ image }) {
      await play(image.bytes);
      return { reading: null, timings: {} };
    },
    fuseReadings: () => Promise.reject(new Error('no reading is scripted')),
  },
  release: () => Promise.resolve(),
});
