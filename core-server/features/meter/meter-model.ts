import { type Manifest, type ModelEntry, modelFor } from '../../inference/models/manifest.js';
import { readRules } from '../../inference/models/model-files.js';
import { parseReaderRules, type ReaderRules } from './reader-rules.js';

/** The networks of the meter reader with their rules: all that a worker must know to open them. */
export interface MeterModel {
  readonly locate: ModelEntry;
  readonly refine: ModelEntry;
  readonly read: ModelEntry;
  readonly mark: ModelEntry;
  readonly rules: ReaderRules;
}

/** The meter reader that the manifest serves. @throws Error if a file is missing or wrong */
export async function loadMeterModel(manifest: Manifest, manifestUrl: URL): Promise<MeterModel> {
  const read = modelFor(manifest, 'meter');
  return {
    locate: modelFor(manifest, 'meter-locate'),
    refine: modelFor(manifest, 'meter-refine'),
    read,
    mark: modelFor(manifest, 'meter-mark'),
    rules: parseReaderRules(await readRules(read, manifestUrl)),
  };
}
