import { z } from 'zod';
import type { Size } from '../image/picture.js';
import { area, type Candidate } from './geometry.js';

/** Numbers of the rule; they belong to the model's scores and stand in its manifest entry. */
export interface CascadeRule {
  /** Longer side of the picture in the first pass, pixels. */
  readonly firstSide: number;
  /** Longer side of the picture in the second pass, pixels. */
  readonly secondSide: number;
  /** From this score on a face is surely one. */
  readonly sureScore: number;
  /** From this score on a face may be one. */
  readonly weakScore: number;
  /** A face is small below this side, pixels of the first pass. */
  readonly smallSide: number;
  /** So many faces are a crowd, among which smaller ones hide. */
  readonly crowd: number;
}

const ruleSchema: z.ZodType<CascadeRule> = z.object({
  firstSide: z.number().int().min(32),
  secondSide: z.number().int().min(32),
  sureScore: z.number().min(0).max(1),
  weakScore: z.number().min(0).max(1),
  smallSide: z.number().min(0),
  crowd: z.number().int().min(1),
});

/** Reads the rule from the settings of a manifest entry. Throws an Error that names every mistake. */
export function parseCascadeRule(settings: Readonly<Record<string, number>>): CascadeRule {
  const parsed = ruleSchema.safeParse(settings);
  if (parsed.success) return parsed.data;
  throw new Error(`The settings of the face model are wrong:\n${z.prettifyError(parsed.error)}`);
}

/**
 * Whether a pass at higher resolution pays, judged by the first one alone: there are small faces, or
 * hints of them; there is a crowd; or there are hints of faces but nothing sure. It cannot pay where
 * the first pass saw the picture at its own size.
 */
export function secondPassPays(
  firstPass: readonly Pick<Candidate, 'box' | 'score'>[],
  size: Size,
  rule: CascadeRule,
): boolean {
  if (Math.max(size.width, size.height) <= rule.firstSide) return false;
  const hints = firstPass.filter((face) => face.score >= rule.weakScore);
  if (hints.length === 0) return false;
  if (!hints.some((face) => face.score >= rule.sureScore)) return true;
  if (hints.length >= rule.crowd) return true;
  return hints.some((face) => Math.sqrt(area(face.box)) < rule.smallSide);
}
