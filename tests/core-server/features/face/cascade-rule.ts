import type { CascadeRule } from '../../../../core-server/features/face/face-model.js';

export const cascadeRule: CascadeRule = {
  overviewSide: 640,
  weakScore: 0.35,
  sureScore: 0.5,
  uprightScore: 0.9,
  turnedScore: 0.8,
  turnedSide: 72,
  largeSide: 96,
  glanceScale: 0.45,
  smallSide: 40,
  margin: 32,
  secondPixels: 750_000,
  maxZoom: 1.5,
  minGain: 1.25,
  keepSide: 48,
  loneSide: 24,
  mirrorScale: 0,
  doubtScore: 1,
  certainScore: 1,
  doubtSide: 32,
};
