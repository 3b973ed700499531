import { Refusal } from './api.js';

/** What to do about a refusal, by its reason, where the service's own sentence does not say it. */
const advice: Readonly<Record<string, string>> = {
  INVALID_API_KEY: 'It may have been cut off when it was copied.',
  UNKNOWN_COMPANY: 'Register it with "npm run admin -- companies create NAME", or leave the name empty.',
  NO_FACE: 'Try a picture in which the face is larger.',
  BODY_TOO_LARGE: 'Make the picture smaller, or save it with a stronger compression.',
  IMAGE_TOO_MANY_PIXELS: 'Make the picture smaller.',
  UNREADABLE: 'Reload the page, and look at the proxy if there is one.',
  UNREACHABLE: 'Is it still running? Try again in a moment.',
};

/** The sentence to show for whatever went wrong. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof Refusal)) return `This page failed: ${String(error)}`;
  const sentence = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  const seconds = error.retryAfterSeconds;
  const isSaid = seconds === undefined || error.message.includes('try again in');
  const wait = isSaid ? '' : `Try again in ${seconds} s.`;
  const text = `${sentence} ${advice[error.reason] ?? wait}`.trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
