import { type Model, openModel } from '../../inference/models/sessions.js';
import { createFaceDetector } from './detector.js';
import type { FaceModel } from './face-model.js';
import type { DetectFacesInput } from './task.js';

/**
 * The task `detectFaces` with its network, which is opened twice: where a core is spare, a second thread helps.
 *
 * @param folder the model lies below it; the manifest's address does as well
 * @param now clock that times the steps, milliseconds
 * @throws Error if a file is missing or wrong
 */
export async function openFaceDetector({ entry, rule }: FaceModel, folder: URL, now: () => number) {
  const model = await openModel(entry, folder);
  const helped = await openModel(entry, folder, { threads: 2 });
  const overviewPixels = rule.overviewSide ** 2;
  const usual = createFaceDetector({ model, rule, now });
  const withHelp = createFaceDetector({ model: forSmall(helped, overviewPixels, model), rule, now });
  return {
    /** @throws Refusal CORRUPT_IMAGE or IMAGE_TOO_MANY_PIXELS; `signal.reason` once the caller is gone */
    detectFaces: (input: DetectFacesInput, signal: AbortSignal, hasSpareCore: boolean) =>
      (hasSpareCore ? withHelp : usual)(input, signal),
    /** Frees the network's memory. */
    async release() {
      await Promise.all([model.release(), helped.release()]);
    },
  };
}

/** One model for pictures of at most so many pixels: for larger ones, it would keep twice the memory. */
function forSmall(model: Model, maxPixels: number, larger: Model): Pick<Model, 'name' | 'version' | 'run'> {
  return {
    ...model,
    run(feeds) {
      const [, height = 0, width = 0] = feeds['image']?.dims ?? [];
      return (width * height <= maxPixels ? model : larger).run(feeds);
    },
  };
}
