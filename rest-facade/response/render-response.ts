import type {
  DetectAllFacesResponse,
  DetectSingleFaceResponse,
} from '../../generated/imageanalysis/v1/face_detection.js';
import type { ReadMeterResponse } from '../../generated/imageanalysis/v1/meter_reading.js';
import type {
  GetDetectionScoreResponse,
  SetDetectionScoreResponse,
} from '../../generated/imageanalysis/v1/score_config.js';
import { Base64, Float, type Json, type Members } from './json.js';
import { renderAllFaces, renderSingleFace } from './render-face.js';
import { renderReading } from './render-meter.js';
import type { Wire } from './wire.js';

/** The responses with a documented REST form, by message name. */
interface Documented {
  DetectSingleFaceResponse: DetectSingleFaceResponse;
  DetectAllFacesResponse: DetectAllFacesResponse;
  GetDetectionScoreResponse: GetDetectionScoreResponse;
  SetDetectionScoreResponse: SetDetectionScoreResponse;
  ReadMeterResponse: ReadMeterResponse;
}

const renderers: { [Name in keyof Documented]: (answer: Wire<Documented[Name]>) => Members } = {
  DetectSingleFaceResponse: renderSingleFace,
  DetectAllFacesResponse: renderAllFaces,
  GetDetectionScoreResponse: renderScore,
  SetDetectionScoreResponse: renderScore,
  ReadMeterResponse: renderReading,
};

/** Documented without the processing time. */
const untimed: ReadonlySet<string> = new Set<keyof Documented>([
  'GetDetectionScoreResponse',
  'SetDetectionScoreResponse',
]);

/** Whether a response includes the processing time. */
export function isTimed(responseType: string): boolean {
  return !untimed.has(responseType);
}

/**
 * The body of a response: `message`, the result of the RPC, and `process_time` in seconds.
 * @param responseType name of the message without its package; for an unknown one, all fields are
 *   shown under their names in the proto
 */
export function renderResponse(responseType: string, answer: object, elapsedMs: number): Members {
  const render = Object.hasOwn(renderers, responseType)
    ? (renderers[responseType as keyof Documented] as (answer: object) => Members)
    : renderAny;
  return {
    message: 'success',
    ...(isTimed(responseType) && { process_time: toSeconds(elapsedMs) }),
    ...render(answer),
  };
}

/** The clock's resolution is microseconds. */
function toSeconds(elapsedMs: number): Float {
  return new Float(Math.round(elapsedMs * 1000) / 1e6);
}

/** Here the score is documented as a float, in detections as a string. */
function renderScore(answer: Wire<GetDetectionScoreResponse | SetDetectionScoreResponse>): Members {
  return { company: answer.company, detection_score: new Float(answer.detection_score) };
}

/** Any message by the names of the proto. */
function renderAny(answer: object): Members {
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, renderValue(value)]),
  );
}

function renderValue(value: unknown): Json | undefined {
  if (value instanceof Uint8Array) return new Base64(value);
  if (Array.isArray(value)) return value.map((item) => renderValue(item) ?? null);
  if (typeof value === 'object' && value !== null) return renderAny(value);
  return value as string | number | boolean | null | undefined;
}
