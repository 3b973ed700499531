import { type Manifest, modelFor } from '../inference/manifest.js';

/**
 * The confidence below which a person should look at a reading, unless the operator sets another:
 * that of the meter model; without one, of general text recognition, whose readings from here on
 * were right in 2 of 3 training photos (37 of 54, five-fold).
 */
export function defaultCheckBelow(manifest: Manifest): number {
  return manifest.serve['meter'] === undefined ? 0.4 : modelFor(manifest, 'meter').defaultScore;
}
