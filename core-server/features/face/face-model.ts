import { z } from 'zod';
import { ConfigError } from '../../../runtime/settings/read-settings.js';
import { type Manifest, type ModelEntry, modelFor, modelNames } from '../../inference/models/manifest.js';
import { parseModelFile } from '../../inference/models/parse-model-file.js';
import type { CascadeRule } from './cascade.js';

/** A face model of the manifest with its settings. */
export interface FaceModel {
  readonly entry: ModelEntry;
  readonly rule: CascadeRule;
  /** The score from which a face counts, unless the request or the company sets another. */
  readonly defaultScore: number;
}

const settingsSchema = z.strictObject({
  defaultScore: z.number().min(0).max(1),
  overviewSide: z.number().int().min(32),
  weakScore: z.number().min(0).max(1),
  sureScore: z.number().min(0).max(1),
  uprightScore: z.number().min(0).max(1),
  turnedScore: z.number().min(0).max(1),
  turnedSide: z.number().min(0),
  largeSide: z.number().min(0),
  glanceScale: z.number().positive().max(1),
  smallSide: z.number().min(0),
  margin: z.number().min(0),
  secondPixels: z.number().int().min(1024),
  maxZoom: z.number().positive().max(4),
  minGain: z.number().min(1),
  keepSide: z.number().min(0),
  loneSide: z.number().min(0),
});

/**
 * The face model that serves: the one that `CORE_FACE_MODEL` names, or the manifest's.
 *
 * @throws ConfigError naming the available face models, if it is not one of them
 * @throws Error that names every mistake in its settings
 */
export function chooseFaceModel(manifest: Manifest, wanted?: string): FaceModel {
  const names = modelNames(manifest, 'face');
  if (wanted !== undefined && !names.includes(wanted)) {
    throw new ConfigError(`CORE_FACE_MODEL is "${wanted}": want ${names.join(' or ')}`);
  }
  const entry = modelFor(manifest, 'face', wanted);
  const settings = parseModelFile(settingsSchema, entry.settings, `the settings of the face model ${entry.name}`);
  const { defaultScore, ...rule } = settings;
  return { entry, rule, defaultScore };
}
