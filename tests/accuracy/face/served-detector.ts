import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createFaceDetector } from '../../../core-server/features/face/detector.js';
import { type FaceModel, servedFaceModel } from '../../../core-server/features/face/face-model.js';
import type { DetectFacesOutput } from '../../../core-server/features/face/task.js';
import { restrictLoaders } from '../../../core-server/image/decode/restrict-loaders.js';
import { loadManifest, type ModelEntry } from '../../../core-server/inference/models/manifest.js';
import { type Model, openModel, type RunModel } from '../../../core-server/inference/models/sessions.js';
import { imageFile } from '../../helpers/pictures/image-file.js';
import { sharedDir } from '../../helpers/pictures/samples.js';
import { cpuClock } from '../cpu-clock.js';

/** The code that a worker runs, in this thread. */
interface ServedDetector {
  readonly served: FaceModel;
  detect(
    image: Uint8Array,
    minScore: number,
    landmarks?: boolean,
  ): Promise<DetectFacesOutput & { inferenceMs: number }>;
  release(): Promise<void>;
}

const manifestUrl = new URL('../../../../models/manifest.json', import.meta.url);
const limits = { maxBytes: Infinity, maxPixels: Infinity, maxSide: Infinity };

/** Opens the served face model, or the one of that name; undefined when its downloaded files are not here. */
export async function openFaceModel(name?: string): Promise<{ served: FaceModel; model: Model } | undefined> {
  const manifest = await loadManifest(manifestUrl);
  if (name !== undefined) manifest.serve['face'] = name;
  const served = servedFaceModel(manifest);
  const folder = await gather(served.entry);
  if (folder === undefined) return undefined;
  const model = await openModel(served.entry, folder).finally(() => rm(folder, { recursive: true }));
  return { served, model };
}

/** A face model with everything that a worker puts around it; undefined when its downloaded files are not here. */
export async function openServedDetector(name?: string): Promise<ServedDetector | undefined> {
  await restrictLoaders();
  const opened = await openFaceModel(name);
  if (opened === undefined) return undefined;
  const { served, model } = opened;
  let inferenceMs = 0;
  const run: RunModel = async (feeds) => {
    const start = cpuClock();
    const result = await model.run(feeds);
    inferenceMs += cpuClock() - start;
    return result;
  };
  const detectFaces = createFaceDetector({ run, rule: served.rule });
  const { signal } = new AbortController();
  return {
    served,
    async detect(image, minScore, landmarks = false) {
      inferenceMs = 0;
      const wish = { image: imageFile(image), minScore, maxFaces: Infinity, crop: undefined, landmarks, limits };
      return { ...(await detectFaces(wish, signal)), inferenceMs };
    },
    release: () => model.release(),
  };
}

/** A folder with links to the model's files; those that are downloaded may lie in the shared data too. */
async function gather(entry: ModelEntry): Promise<URL | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'face-model-'));
  for (const { file } of entry.graphs) {
    const places = [fileURLToPath(new URL(file, manifestUrl)), join(sharedDir, 'models', basename(file))];
    const found = places.find((place) => existsSync(place));
    if (found === undefined) {
      await rm(folder, { recursive: true });
      return undefined;
    }
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await symlink(found, join(folder, file));
  }
  return pathToFileURL(`${folder}/`);
}
