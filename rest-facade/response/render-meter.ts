import type { ReadMeterResponse } from '../../generated/imageanalysis/v1/meter_reading.js';
import { withoutPrefix } from './enum-name.js';
import { Float, type Members } from './json.js';
import { renderBox } from './render-geometry.js';
import type { Wire } from './wire.js';

/** `POST /meter-number-ocr/file` and `/meter-number-ocr/base64` */
export function renderReading(answer: Wire<ReadMeterResponse>): Members {
  return {
    meter_number: answer.meter_number,
    value: answer.value,
    unit: answer.unit,
    confidence: new Float(answer.confidence),
    status: withoutPrefix(answer.status, 'READING_STATUS_').toLowerCase(),
    warnings: answer.warnings.map((warning) => withoutPrefix(warning, 'READING_WARNING_')),
    bbox: renderBox(answer.bounding_box),
    digits: answer.digits.map(({ digit, confidence, bounding_box: box }) => ({
      digit,
      confidence: new Float(confidence),
      bbox: renderBox(box),
    })),
    // Only on request, so that the documented response stays as it is.
    alternatives: answer.alternatives?.readings.map((reading) => ({
      meter_number: reading.meter_number,
      value: reading.value,
      probability: new Float(reading.probability),
    })),
    printed: answer.printed
      ? { serial_number: answer.printed.serial_number, unit: answer.printed.unit }
      : undefined,
  };
}
