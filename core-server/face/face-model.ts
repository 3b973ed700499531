import { z } from 'zod';
import { type Manifest, type ModelEntry, modelFor } from '../inference/manifest.js';
import { parseModelFile } from '../inference/parse-model-file.js';
import type { CascadeRule } from './cascade.js';

/** A face model of the manifest with its rule: all that a worker must know to open it. */
export interface FaceModel {
  readonly entry: ModelEntry;
  readonly rule: CascadeRule;
}

const cascadeSchema: z.ZodType<CascadeRule> = z.strictObject({
  overviewSide: z.number().int().min(32),
  weakScore: z.number().min(0).max(1),
  sureScore: z.number().min(0).max(1),
  turnedScore: z.number().min(0).max(1),
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

/** The face model that the manifest serves, or the one called `name`. Throws where there is none, or its settings are wrong. */
export function faceModelOf(manifest: Manifest, name?: string): FaceModel {
  const entry = modelFor(manifest, 'face', name);
  return { entry, rule: parseCascadeRule(entry.settings) };
}

/** Reads the rule from the settings of a manifest entry. Throws an Error that names every mistake. */
export function parseCascadeRule(settings: Readonly<Record<string, number>>): CascadeRule {
  return parseModelFile(cascadeSchema, settings, 'the settings of the face model');
}
