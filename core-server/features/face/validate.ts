import type { DetectSingleFaceRequest } from '../../../generated/imageanalysis/v1/face_detection.js';
import { validateChoice, validateShare, validateWhole } from '../../common/validate.js';
import type { CropWish } from '../../image/crop.js';
import { imageFormats } from '../../image/picture.js';

export const maxFacesInResponse = 1_000;

/** The requested number of faces. @throws Refusal INVALID_FIELD outside 1..1000 */
export function validateMaxFaces(maxFaces: number | undefined): number {
  return validateWhole('max_faces', maxFaces, 1, maxFacesInResponse) ?? maxFacesInResponse;
}

/** How faces are to be cropped, if at all; requests for all faces say it in the same fields. @throws Refusal INVALID_FIELD */
export function validateCrop(request: Partial<DetectSingleFaceRequest>): CropWish | undefined {
  const { crop = true, cropFormat, cropAligned = false } = request;
  const margin = validateShare('margin', request.margin) ?? 0;
  const size = validateWhole('crop_size', request.cropSize, 16, 1024);
  const format = validateChoice('crop_format', cropFormat, imageFormats) ?? 'jpeg';
  return crop ? { margin, format, isAligned: cropAligned, size } : undefined;
}
