import type protobuf from 'protobufjs';
import { writeJson } from '../response/json.js';
import { renderResponse } from '../response/render-response.js';

/** Example values of request fields; all other fields have an obvious one. */
export const fieldExamples: Readonly<Record<string, unknown>> = {
  company: 'acme',
  password: 'correct horse',
  detection_score: 0.8,
  min_score: 0.5,
  max_faces: 10,
  expected_digits: 8,
  expected_decimals: 3,
  previous_reading: '00470.1',
  max_increase: '10',
};

const box = { xmin: 98.1, ymin: 120.7, xmax: 210.4, ymax: 260.4 };
const face = { bounding_box: box, detection_score: 0.9731, crop_jpeg: Buffer.from([0xff, 0xd8]) };

/** Responses of the core, by message. */
const answers: Readonly<Record<string, object>> = {
  DetectSingleFaceResponse: { face },
  DetectAllFacesResponse: { faces: [face] },
  GetDetectionScoreResponse: { company: 'acme', detection_score: 0.8 },
  SetDetectionScoreResponse: { company: 'acme', detection_score: 0.8 },
  ReadMeterResponse: {
    meter_number: '00473286',
    value: '00473.286',
    unit: 'm3',
    confidence: 0.94,
    status: 'READING_STATUS_OK',
    bounding_box: box,
    digits: [{ digit: '0', confidence: 0.99, bounding_box: box }],
  },
};

/** A response as the facade renders it; undefined if there is no example for its message. */
export function answerExample(message: protobuf.Type): unknown {
  const answer = answers[message.name];
  if (answer === undefined) return undefined;
  // In the shape of proto-loader's messages, including fields not named here.
  const complete = message.toObject(message.fromObject(answer), {
    enums: String,
    defaults: true,
  });
  return JSON.parse(writeJson(renderResponse(message.name, complete, 21))) as unknown;
}
