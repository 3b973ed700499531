/** Caused by the picture: the next run would get the same. All others may pass or be fixed. */
const ofPicture: ReadonlySet<string> = new Set([
  'NO_READING',
  'EMPTY_IMAGE',
  'CORRUPT_IMAGE',
  'UNSUPPORTED_IMAGE_TYPE',
  'IMAGE_TOO_MANY_PIXELS',
]);

/** Caused by the options of this run: every picture would get the same. */
const ofOptions: ReadonlySet<string> = new Set([
  'UNKNOWN_COMPANY',
  'INVALID_SCORE',
  'INVALID_FIELD',
]);

/** Whether a picture refused for this reason need not be resent. */
export function isPermanent(reason: string): boolean {
  return ofPicture.has(reason);
}

/** Whether a refusal for this reason ends the run, because its options are wrong. */
export function endsTheRun(reason: string | undefined): boolean {
  return reason !== undefined && ofOptions.has(reason);
}
