import type { Manifest } from '../inference/manifest.js';
import { loadReaderRules, rulesFile } from './reader-rules.js';

/** That of general text recognition: of its readings from here on 37 of 54 training photos were right (five-fold). */
const ocrCheckBelow = 0.4;

/** The confidence below which a person should look at a reading, unless the operator sets another. */
export async function defaultCheckBelow(manifest: Manifest, manifestUrl: URL): Promise<number> {
  if (manifest.serve['meter'] === undefined) return ocrCheckBelow;
  return (await loadReaderRules(new URL(rulesFile, manifestUrl))).okConfidence;
}
