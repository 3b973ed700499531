import type { MeterReading } from '../../../core-server/features/meter/task.js';
import type { MeterTruth } from './meter-data.js';

/** How an answer compares with the truth. */
export interface Judged {
  readonly answered: boolean;
  /** The amount before the point is right; leading zeros do not count. */
  readonly integer: boolean;
  /** All wheels and the point are right. */
  readonly full: boolean;
  /** The same, the last wheel one step off at most. */
  readonly near: boolean;
  readonly ok: boolean;
  readonly confidence: number;
}

/** Compares an answer (null: refused) with what the photo shows (null: no meter). */
export function judge(
  reading: Pick<MeterReading, 'meterNumber' | 'value' | 'confidence' | 'status'> | null,
  truth: MeterTruth | null,
): Judged {
  const answered = reading !== null;
  const ok = reading?.status === 'OK';
  const confidence = reading?.confidence ?? 0;
  if (reading === null || truth === null) {
    return { answered, ok, confidence, integer: false, full: false, near: false };
  }
  const red = reading.value.includes('.') ? (reading.value.split('.')[1]?.length ?? 0) : 0;
  const read = reading.meterNumber;
  const sameForm = red === truth.redDigits && read.length === truth.digits.length;
  const isRight = (match: (digits: string) => boolean): boolean => [truth.digits, ...truth.accept].some(match);
  const whole = (digits: string, fraction: number): bigint => BigInt(digits.slice(0, digits.length - fraction) || '0');
  return {
    answered,
    ok,
    confidence,
    integer: isRight((digits) => whole(digits, truth.redDigits) === whole(read, red)),
    full: sameForm && isRight((digits) => digits === read),
    near: sameForm && isRight((digits) => [-1n, 0n, 1n].includes(BigInt(digits) - BigInt(read))),
  };
}

/** 95 % interval of a share of `count` right ones in `total` (Wilson, 1927). */
export function wilson(count: number, total: number): { low: number; high: number } {
  if (total === 0) return { low: 0, high: 1 };
  const z = 1.96;
  const share = count / total;
  const middle = share + z ** 2 / (2 * total);
  const spread = z * Math.sqrt((share * (1 - share)) / total + z ** 2 / (4 * total ** 2));
  const scale = 1 + z ** 2 / total;
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}

/** Answers whose confidence lies in the same tenth. */
export interface ReliabilityBin {
  readonly count: number;
  /** Mean confidence that was given. */
  readonly given: number;
  /** Share whose amount before the point was right. */
  readonly right: number;
}

/** How confidence and truth agree, in ten bins, over the answers given; empty bins left out. */
export function reliability(judged: readonly Judged[]): ReliabilityBin[] {
  const answers = judged.filter(({ answered }) => answered);
  const binOf = ({ confidence }: Judged) => Math.min(9, Math.floor(confidence * 10));
  return Array.from({ length: 10 }, (_, bin) => answers.filter((row) => binOf(row) === bin))
    .filter((rows) => rows.length > 0)
    .map((rows) => ({
      count: rows.length,
      given: rows.reduce((sum, row) => sum + row.confidence, 0) / rows.length,
      right: rows.filter(({ integer }) => integer).length / rows.length,
    }));
}

/** Expected calibration error: the mean distance of confidence and truth over the bins. */
export function calibrationError(bins: readonly ReliabilityBin[]): number {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const error = bins.reduce((sum, { count, given, right }) => sum + count * Math.abs(given - right), 0);
  return total === 0 ? 0 : error / total;
}
