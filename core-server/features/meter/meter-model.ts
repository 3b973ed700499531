import { type Manifest, modelFor } from '../../inference/models/manifest.js';
import { readRules } from '../../inference/models/model-files.js';
import { parseReaderRules } from './reader-rules.js';

export type MeterModel = Awaited<ReturnType<typeof loadMeterModel>>;

/** The networks of the meter reader that the manifest serves, with their rules: all that a worker must know to open them. */
export async function loadMeterModel(manifest: Manifest, manifestUrl: URL) {
  const read = modelFor(manifest, 'meter');
  return {
    locate: modelFor(manifest, 'meter-locate'),
    refine: modelFor(manifest, 'meter-refine'),
    read,
    mark: modelFor(manifest, 'meter-mark'),
    rules: parseReaderRules(await readRules(read, manifestUrl)),
  };
}
