import { Refusal } from './api.js';

/** What to do about a refusal, by its reason; the service's own sentence comes first. */
const advice: Readonly<Record<string, string>> = {
  MISSING_API_KEY: 'Enter an API key first.',
  INVALID_API_KEY: 'Check the key: it may be revoked, expired, or cut off when it was copied.',
  KEY_NOT_ALLOWED: 'Use a key that is allowed for this operation.',
  COMPANY_AUTH_FAILED: 'Check the name of the company and its password.',
  UNKNOWN_COMPANY: 'Register it with "npm run admin -- companies create", or leave the name empty.',
  NO_FACE: 'Lower the threshold, or try a picture in which the face is larger.',
  NO_READING: 'Try a sharp photo in which the wheels of the counter can be read.',
  UNSUPPORTED_IMAGE_TYPE: 'Save the picture as JPEG or PNG.',
  CORRUPT_IMAGE: 'The file is damaged or was cut off; save it again.',
  BODY_TOO_LARGE: 'Make the picture smaller, or save it with a stronger compression.',
  IMAGE_TOO_MANY_PIXELS: 'Make the picture smaller.',
  UNREACHABLE: 'Is it still running? Try again in a moment.',
  CORE_UNAVAILABLE: 'The core is starting or gone; try again in a moment.',
};

/** The sentence to show for whatever went wrong. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof Refusal)) return `This page failed: ${String(error)}`;
  const sentence = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  const wait =
    error.retryAfterSeconds === undefined ? '' : `Try again in ${error.retryAfterSeconds} s.`;
  const text = `${sentence} ${advice[error.reason] ?? wait}`.trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
