import { type AllFacesAnswer, type MeterAnswer, RefusedError, type RestClient } from '../../sdk/typescript/rest.js';
import type { Annotation } from '../annotate/annotate.js';
import { annotateFace, annotateMeter, percent } from '../annotate/annotations.js';

/** The responses of both features for one picture, unchanged; a refusal as docs/errors.md lists them. */
export interface Analysis {
  readonly faces: AllFacesAnswer | RefusedAnswer;
  readonly meter: MeterAnswer | RefusedAnswer;
}

type RefusedAnswer = Pick<RefusedError, 'message' | 'code' | 'reason' | 'details'>;

/** Asks a service for the faces and the meter of a picture. Rejects if it cannot be reached. */
export async function analyse(client: RestClient, picture: Uint8Array, signal: AbortSignal): Promise<Analysis> {
  const wanted = { crop: false, landmarks: true, details: true, signal };
  return {
    faces: await client.detectAllFaces(picture, wanted).catch(toRefusedAnswer),
    meter: await client.readMeter(picture, { details: true, signal }).catch(toRefusedAnswer),
  };
}

function toRefusedAnswer(error: unknown): RefusedAnswer {
  if (!(error instanceof RefusedError) || error.reason === undefined) throw error;
  const { message, code, reason, details } = error;
  return { message, code, reason, details };
}

/** What was found, in one line. */
export function summarise({ faces, meter }: Analysis): string {
  if ('reason' in faces) return `refused: ${faces.message}`;
  const scores = faces.result.map((face) => face.detection_score);
  const shown = scores.length > 3 ? [...scores.slice(0, 3), '…'] : scores;
  const people = scores.length === 1 ? '1 face' : `${scores.length || 'no'} faces`;
  return `${people}${scores.length > 0 ? ` (${shown.join(', ')})` : ''}; ${summariseMeter(meter)}`;
}

function summariseMeter(meter: Analysis['meter']): string {
  if (!('reason' in meter)) return `meter ${meter.value} ${meter.unit} (${meter.status}, ${percent(meter.confidence)})`;
  return meter.reason === 'NO_READING' ? 'no meter' : `meter refused: ${meter.message}`;
}

/** What to draw for the responses. */
export function toAnnotations({ faces, meter }: Analysis): Annotation[] {
  return [
    ...('reason' in faces ? [] : faces.result.map(annotateFace)),
    ...('reason' in meter ? [] : annotateMeter(meter)),
  ];
}
