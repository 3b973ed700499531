import type { DetectSingleFaceRequest } from '../../../generated/imageanalysis/v1/face_detection.js';
import { invalidField, refuseField } from '../../../runtime/errors/refusal.js';
import type { CropWish } from '../../image/crop.js';
import { imageFormats } from '../../image/picture.js';

/** Of a response, at most. */
export const mostFaces = 1_000;

/** The requested number of faces. @throws Refusal INVALID_FIELD outside 1..1000 */
export function validateMaxFaces(maxFaces: number | undefined): number {
  return validateWhole('max_faces', maxFaces, 1, mostFaces) ?? mostFaces;
}

/** A part of something. @throws Refusal INVALID_FIELD outside 0..1 or with more than 6 decimals */
export function validateShare(field: string, value: number | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (value >= 0 && value <= 1 && Number(value.toFixed(6)) === value) return value;
  throw invalid(field, value, 'a number from 0 to 1 with at most 6 decimals', 1);
}

/** One of several words, undefined where none is given. @throws Refusal INVALID_FIELD for any other */
export function validateChoice<Word extends string>(
  field: string,
  value: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (!value) return undefined;
  const known = words.find((word) => word === value);
  if (known === undefined) throw invalidField(field, value, `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
  return known;
}

/** How faces are to be cropped, if at all; requests for all faces say it in the same fields. @throws Refusal INVALID_FIELD */
export function validateCrop(request: Partial<DetectSingleFaceRequest>): CropWish | undefined {
  const { crop = true, cropFormat, cropAligned = false } = request;
  const margin = validateShare('margin', request.margin) ?? 0;
  const size = validateWhole('crop_size', request.cropSize, 16, 1024);
  const format = validateChoice('crop_format', cropFormat, imageFormats) ?? 'jpeg';
  return crop ? { margin, format, isAligned: cropAligned, size } : undefined;
}

function validateWhole(field: string, value: number | undefined, least: number, most: number): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return value;
  throw invalid(field, value, `a whole number from ${least} to ${most}`, most);
}

function invalid(field: string, value: number, wish: string, limit: number): Error {
  return refuseField('INVALID_FIELD', field, `is ${value}, want ${wish}`, { value, limit });
}
