import type { ModelEntry } from '../inference/manifest.js';
import { openModel, type Model } from '../inference/sessions.js';
import { createFaceDetector, type DetectFacesInput, type DetectFacesOutput } from './detector.js';
import type { FaceModel } from './face-model.js';
import { createFaceVerifier } from './verify.js';

/** The task `detectFaces` with its networks. Belongs to the thread that opened it. */
export interface OpenFaceDetector {
  detectFaces(input: DetectFacesInput, signal: AbortSignal): Promise<DetectFacesOutput>;
  release(): Promise<void>;
}

export interface OpenFaceDetectorOptions {
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** How a network is opened. */
  readonly open?: (entry: ModelEntry) => Promise<Model>;
}

/**
 * The task `detectFaces` with a face model and its verifier, if it has one. Throws an Error for files
 * that are missing or wrong.
 *
 * @param folder the models lie below it; the manifest's address does as well
 */
export async function openFaceDetector(
  { entry, rule, verifier }: FaceModel,
  folder: URL,
  { now, open = (one) => openModel(one, folder) }: OpenFaceDetectorOptions,
): Promise<OpenFaceDetector> {
  const model = await open(entry);
  if (verifier === undefined) {
    const detectFaces = createFaceDetector({ model, rule, now });
    return { detectFaces, release: () => model.release() };
  }
  const second = await open(verifier.entry);
  const verify = createFaceVerifier(second, verifier.rule);
  return {
    detectFaces: createFaceDetector({ model, rule, verify, now }),
    async release() {
      await Promise.all([model.release(), second.release()]);
    },
  };
}
