import { invalidField } from '../errors/refusal.js';

const msPerUnit: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** Milliseconds. @param given the header `grpc-timeout` @throws Refusal INVALID_FIELD */
export function parseGrpcTimeout(given: string): number {
  const [, amount, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(given) ?? [];
  if (amount === undefined) throw invalidField('grpc-timeout', given, '1 to 8 digits and a unit of HMSmun');
  return Number(amount) * (msPerUnit[unit] as number);
}
