import type { FuseMeterReadingsRequest, ReadMeterRequest } from '../../../generated/imageanalysis/v1/meter_reading.js';
import { invalidField, missingField, refuseField } from '../../../runtime/errors/refusal.js';
import { validateChoice, validateWhole } from '../../common/validate.js';
import { type Decimal, decimalForm, parseDecimal } from './decimal.js';
import type { KnownMeter } from './known-meter.js';

const minDigits = 3;
const maxDigits = 12;
const maxDecimals = 6;
const units = ['m3', 'kWh', 'gal', 'ft3', 'GJ'] as const;

/** What a request says about its meter, one for several photos too. @throws Refusal INVALID_FIELD, MISSING_FIELD */
export function validateKnownMeter(request: Partial<ReadMeterRequest>): KnownMeter {
  const { expectedDigits: digits, expectedDecimals: decimals } = request;
  validateWhole('expected_digits', digits, minDigits, maxDigits);
  validateWhole('expected_decimals', decimals, 0, Math.min(maxDecimals, (digits ?? maxDigits) - 1));
  const unit = validateChoice('expected_unit', request.expectedUnit, units);
  const previous = validateDecimal('previous_reading', request.previousReading);
  const maxIncrease = validateDecimal('max_increase', request.maxIncrease);
  if (maxIncrease !== undefined && previous === undefined)
    throw missingField('previous_reading', 'it together with max_increase');
  return { digits, decimals, unit, previous, maxIncrease };
}

const maxPhotos = 8;

/** @throws Refusal MISSING_FIELD without photos, INVALID_FIELD for too many */
export function validatePhotos({ images }: Pick<FuseMeterReadingsRequest, 'images'>): void {
  const { length } = images;
  if (length === 0) throw missingField('images', `1 to ${maxPhotos} pictures`);
  if (length <= maxPhotos) return;
  const clause = `has ${length} pictures, want at most ${maxPhotos}`;
  throw refuseField('INVALID_FIELD', 'images', clause, { value: length, limit: maxPhotos });
}

function validateDecimal(field: string, text = ''): Decimal | undefined {
  if (text === '') return undefined;
  const value = parseDecimal(text);
  if (value !== undefined) return value;
  throw invalidField(field, text, decimalForm);
}
