/** Of the picture: the next run would be told the same. All others may pass, or be mended. */
const ofPicture: ReadonlySet<string> = new Set([
  'NO_READING',
  'EMPTY_IMAGE',
  'CORRUPT_IMAGE',
  'UNSUPPORTED_IMAGE_TYPE',
  'IMAGE_TOO_MANY_PIXELS',
]);

/** Of what this run asks for: every picture would be told the same. */
const ofOrder: ReadonlySet<string> = new Set(['UNKNOWN_COMPANY', 'INVALID_SCORE', 'INVALID_FIELD']);

/** Whether a picture that was refused for this reason need not be sent again. */
export function isOfPicture(reason: string): boolean {
  return ofPicture.has(reason);
}

/** Whether a refusal for this reason ends the run: its options are mistaken. */
export function isOfOrder(reason: string | undefined): boolean {
  return reason !== undefined && ofOrder.has(reason);
}
