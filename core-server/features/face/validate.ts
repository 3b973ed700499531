import { refuse } from '../../../runtime/errors/refusal.js';
import { mostFaces } from '../../../runtime/net/grpc-channel.js';

/** The requested number of faces. @throws Refusal INVALID_FIELD outside 1..1000 */
export function validateMaxFaces(maxFaces: number | undefined): number {
  if (maxFaces === undefined) return mostFaces;
  if (Number.isInteger(maxFaces) && maxFaces >= 1 && maxFaces <= mostFaces) return maxFaces;
  throw refuse(
    'INVALID_FIELD',
    `max_faces is ${maxFaces}, want a whole number from 1 to ${mostFaces}`,
    { details: { field: 'max_faces', value: String(maxFaces), limit: String(mostFaces) } },
  );
}
