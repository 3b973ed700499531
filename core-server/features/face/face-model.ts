import * as z from 'zod';
import { type Manifest, type ModelEntry, modelFor, parseModelFile } from '../../inference/models/manifest.js';

export interface FaceModel {
  readonly entry: ModelEntry;
  readonly rule: CascadeRule;
  /** The score from which a face counts, unless the request or the company sets another. */
  readonly defaultScore: number;
  /** The same where faces are hidden. It is lower: a face that stays visible is worse than a place hidden for nothing. */
  readonly redactionScore: number;
}

const share = z.number().min(0).max(1);

/**
 * The rule of the cascade in `cascade.ts`. The side of a box is the square root of its area; sides are in pixels of the
 * overview, the picture at `overviewSide`.
 */
const ruleSchema = z.strictObject({
  /** Longer side of the overview, pixels, but for panoramas, whose is longer; a picture is never enlarged to it. */
  overviewSide: z.number().int().min(32),
  /** A candidate with this score may be a face. */
  weakScore: share,
  /** A candidate with this score counts as a face. */
  sureScore: share,
  /** A candidate with this score shows that the picture is not on its side. */
  uprightScore: share,
  /** A candidate with this score in a turned picture counts as a face, where faces are less likely. */
  turnedScore: share,
  /** And has at least this side. */
  turnedSide: z.number().min(0),
  /** Faces from this side on are served by the glance. */
  largeSide: z.number().min(0),
  /** Scale of the glance over that of the overview. */
  glanceScale: z.number().positive().max(1),
  /** Faces below this side are served by a second look. */
  smallSide: z.number().min(0),
  /** Room around the small faces, pixels of the overview. */
  margin: z.number().min(0),
  /** Pixels of the second look at most. */
  secondPixels: z.number().int().min(1024),
  /** Scale of the second look at most, of the picture's own pixels. */
  maxZoom: z.number().positive().max(4),
  /** Scale of the second look over that of the first; less does not pay. */
  minGain: z.number().min(1),
  /** From this side on the first look is trusted inside the region of the second. */
  keepSide: z.number().min(0),
  /** From this side on it is, of a sure face that the second look does not see at all. */
  loneSide: z.number().min(0),
  /** Scale of the look at the second's mirror image, of the second look; 0: there is none. */
  mirrorScale: z.number().min(0).max(1),
  /** A candidate from this score on, */
  doubtScore: share,
  /** below this one, */
  certainScore: share,
  /** and from this side on, is looked at by itself too. */
  doubtSide: z.number().min(0),
});

export type CascadeRule = Readonly<z.infer<typeof ruleSchema>>;

const settingsSchema = z.strictObject({ defaultScore: share, redactionScore: share, ...ruleSchema.shape });

/** The face model that serves. @throws Error that names every mistake in its settings */
export function servedFaceModel(manifest: Manifest): FaceModel {
  const entry = modelFor(manifest, 'face');
  const settings = parseModelFile(settingsSchema, entry.settings, `the settings of the face model ${entry.name}`);
  const { defaultScore, redactionScore, ...rule } = settings;
  return { entry, rule, defaultScore, redactionScore };
}
