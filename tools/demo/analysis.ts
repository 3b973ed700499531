import { type AllFacesAnswer, type MeterAnswer, RefusedError, type RestClient } from '../../sdk/typescript/rest.js';
import type { Annotation } from '../annotate/annotate.js';
import { annotateFace, annotateMeter, percent } from '../annotate/annotations.js';

/** A refusal as returned by the REST API; docs/errors.md lists the reasons. */
export interface RefusedAnswer extends Pick<RefusedError, 'message' | 'code' | 'reason' | 'details'> {
  readonly request_id?: string | undefined;
}

export interface Analysis {
  readonly faces: AllFacesAnswer | RefusedAnswer;
  readonly meter: MeterAnswer | RefusedAnswer;
}

/** Asks a running service for the faces and the meter of a picture. */
export async function analyse(client: RestClient, picture: Uint8Array, signal: AbortSignal): Promise<Analysis> {
  const wanted = { crop: false, landmarks: true, details: true, signal };
  return {
    faces: await client.detectAllFaces(picture, wanted).catch(toRefusedAnswer),
    meter: await client.readMeter(picture, { details: true, signal }).catch(toRefusedAnswer),
  };
}

/** Anything but a refusal by the service, such as a connection failure, is rethrown. */
function toRefusedAnswer(error: unknown): RefusedAnswer {
  if (!(error instanceof RefusedError) || error.reason === undefined) throw error;
  const { message, code, reason, requestId, details } = error;
  return { message, code, reason, request_id: requestId, details };
}

/** Whether the picture itself was refused, so that there is nothing to draw on. */
export function isRefused({ faces, meter }: Analysis): boolean {
  return 'reason' in faces && 'reason' in meter && faces.reason === meter.reason;
}

/** What was found, in one line. Refusals show their message, except if nothing was found. */
export function summarise({ faces, meter }: Analysis): string {
  if ('reason' in faces && isRefused({ faces, meter })) return `refused: ${faces.message}`;
  return `${summariseFaces(faces)}; ${summariseMeter(meter)}`;
}

function summariseFaces(faces: Analysis['faces']): string {
  if ('reason' in faces) return `faces refused: ${faces.message}`;
  const scores = faces.result.map((face) => face.detection_score);
  if (scores.length === 0) return 'no face';
  const shown = scores.length > 3 ? [...scores.slice(0, 3), '…'] : scores;
  return `${scores.length} ${scores.length === 1 ? 'face' : 'faces'} (${shown.join(', ')})`;
}

function summariseMeter(meter: Analysis['meter']): string {
  if (!('reason' in meter)) return `meter ${meter.value} ${meter.unit} (${meter.status}, ${percent(meter.confidence)})`;
  return meter.reason === 'NO_READING' ? 'no meter' : `meter refused: ${meter.message}`;
}

export function toAnnotations({ faces, meter }: Analysis): Annotation[] {
  return [
    ...('reason' in faces ? [] : faces.result.map(annotateFace)),
    ...('reason' in meter ? [] : annotateMeter(meter)),
  ];
}
