import { ConfigError } from '../../runtime/settings.js';
import { type Manifest, type ModelEntry, modelFor, modelNames } from '../inference/manifest.js';

/**
 * The face model that serves: the one that `CORE_FACE_MODEL` names, or the manifest's.
 *
 * @throws ConfigError naming the available face models, if it is not one of them.
 */
export function chooseFaceModel(manifest: Manifest, wanted: string | undefined): ModelEntry {
  const names = modelNames(manifest, 'face');
  if (wanted === undefined || names.includes(wanted)) return modelFor(manifest, 'face', wanted);
  throw new ConfigError(`CORE_FACE_MODEL is "${wanted}": want ${names.join(' or ')}`);
}
