import { deferred } from '../helpers/deferred.js';
import type { Script } from './fake-core.js';

const box = { xmin: 98.1, ymin: 120.7, xmax: 210, ymax: 260.25 };

/** Fixed answers of some RPCs. */
export const answers = {
  DetectSingleFace: { face: { boundingBox: box, detectionScore: 0.9731, cropJpeg: Buffer.from('crop') } },
  DetectAllFaces: {
    faces: [
      { boundingBox: box, detectionScore: 0.9731, cropJpeg: Buffer.from('crop') },
      { boundingBox: box, detectionScore: 1, cropJpeg: Buffer.from('crop2') },
    ],
    omittedFaces: 0,
  },
  GetDetectionScore: { company: 'acme', detectionScore: 0.8 },
  SetDetectionScore: { company: 'acme', detectionScore: 1 },
  ReadMeter: {
    meterNumber: '00123456',
    value: '00123.456',
    unit: 'm3',
    confidence: 0.94,
    status: 'READING_STATUS_CHECK',
    warnings: ['READING_WARNING_GLARE'],
    boundingBox: box,
    digits: [{ digit: '0', confidence: 1, boundingBox: box, polygon: [] }],
    polygon: [],
  },
};

/** Answers every call with its fixed answer. */
export const answerAll: Script = ({ rpc }) => answers[rpc as keyof typeof answers];

/** A script that answers nothing until it is told to: `called` resolves when it has been asked. */
export function holdAnswers() {
  const [called, answer] = [deferred(), deferred()];
  const script: Script = async (call) => {
    called.resolve();
    await answer.promise;
    return answerAll(call);
  };
  return { script, called: called.promise, answer: () => answer.resolve() };
}
