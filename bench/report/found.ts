import { DetectAllFacesResponse } from '../../generated/imageanalysis/v1/face_detection.js';
import { ReadMeterResponse } from '../../generated/imageanalysis/v1/meter_reading.js';
import type { SetName } from '../pictures.js';

/** What an answer says was found, in words: a fast answer that finds nothing is worth nothing. */
export function describeAnswer(kind: 'grpc' | 'json', set: SetName, answer: Uint8Array): string {
  if (kind === 'grpc') {
    return set === 'meter'
      ? ReadMeterResponse.decode(answer).meterNumber
      : count(DetectAllFacesResponse.decode(answer).faces.length);
  }
  const json = JSON.parse(Buffer.from(answer).toString('utf8')) as {
    found?: string;
    result?: unknown[];
    meter_number?: string;
  };
  return json.found ?? json.meter_number ?? count(json.result?.length ?? 0);
}

function count(faces: number): string {
  return `${faces} ${faces === 1 ? 'face' : 'faces'}`;
}
