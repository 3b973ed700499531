import { type Manifest, type ModelEntry, modelFor } from '../inference/manifest.js';
import { openModel, type Model } from '../inference/sessions.js';
import { parseCascadeRule } from './cascade.js';
import { createFaceDetector, type DetectFacesInput, type DetectFacesOutput } from './detector.js';
import { createFaceVerifier, parseVerifierRule } from './verify.js';

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
 * The task `detectFaces` with a face model of the manifest and the verifier that the model names, if
 * any. Throws an Error for files that are missing or wrong.
 *
 * @param manifestUrl address of the manifest; the models lie below its folder
 */
export async function openFaceDetector(
  manifest: Manifest,
  manifestUrl: URL,
  entry: ModelEntry,
  { now, open = (one) => openModel(one, manifestUrl) }: OpenFaceDetectorOptions,
): Promise<OpenFaceDetector> {
  const rule = parseCascadeRule(entry.settings);
  const model = await open(entry);
  if (entry.verifier === undefined) {
    const detectFaces = createFaceDetector({ model, rule, now });
    return { detectFaces, release: () => model.release() };
  }
  const verifierEntry = modelFor(manifest, 'face-verifier', entry.verifier);
  const verifier = await open(verifierEntry);
  const verify = createFaceVerifier(verifier, parseVerifierRule(verifierEntry.settings));
  return {
    detectFaces: createFaceDetector({ model, rule, verify, now }),
    async release() {
      await Promise.all([model.release(), verifier.release()]);
    },
  };
}
