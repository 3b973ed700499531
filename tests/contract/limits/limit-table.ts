import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startService, type TestService } from '../../helpers/service/service.js';
import type { Answer } from './limit-senders.js';

// The form of the limits' tables, the small limits that they are tested with, and the refusals.

export const kilo = 1024;
export const maxImageBytes = 10_000;
export const maxBodyBytes = 100_000;
export const maxFields = 20;
export const maxFieldBytes = 70_000;
export const maxSide = 200;
export const maxPixels = 20_000;
/** Room that the core leaves in a message beside the picture. */
export const maxMessageBytes = maxImageBytes + 64 * kilo;
/** Of request target, header names and values; Node refuses at 16 KiB. */
export const maxHeadBytes = 16 * kilo - 1;

export interface Limit {
  readonly name: string;
  /** The largest value, or the least one, that is taken. */
  readonly most?: number;
  readonly least?: number;
  readonly send: (value: number) => Promise<Answer>;
  /** What comes of the value at the limit. */
  readonly accepted?: string;
  readonly refused: readonly [status: number | string, outcome: string, details: Readonly<Record<string, string>>];
}

export const company = { name: 'acme', password: 'correct horse' };
/** `0.111…` with so many decimals. */
export const decimals = (count: number) => `0.${'1'.repeat(count)}`;
export const text = (length: number) => 'a'.repeat(length);
/** With 64 letters it is registered. */
export const companyOf = (length: number) => 'c'.repeat(length);

/** 20,000 and 20,001 pixels, neither with a side over its limit. */
export const sizeOfPixels = (pixels: number) =>
  pixels === maxPixels ? { width: 160, height: 125 } : { width: 177, height: 113 };

export const tooLarge = (field: string, limit: number) =>
  [413, 'BODY_TOO_LARGE', { field, limit: String(limit) }] as const;
export const malformed = (limit: number, field?: string) =>
  [400, 'MALFORMED_MULTIPART', { ...(field && { field }), limit: String(limit) }] as const;
export const tooManyPixels = (value: number, limit: number) =>
  [413, 'IMAGE_TOO_MANY_PIXELS', { field: 'file', value: String(value), limit: String(limit) }] as const;
export const invalid = (field: string, value: string, limit?: string) =>
  [400, 'INVALID_FIELD', { field, value, ...(limit && { limit }) }] as const;

/** The largest and the least score of a field, and its decimals. */
export function scoreLimits(field: string, send: (score: string) => Promise<Answer>): Limit[] {
  const refused = (value: string) => [400, 'INVALID_SCORE', { field, value }] as const;
  const sendMillionths = (n: number) => send((n / 1e6).toFixed(6));
  return [
    { name: `millionths of ${field}, most`, most: 1e6, send: sendMillionths, refused: refused('1.000001') },
    { name: `millionths of ${field}, least`, least: 0, send: sendMillionths, refused: refused('-0.000001') },
    { name: `decimals of ${field}`, most: 6, send: (n) => send(decimals(n)), refused: refused(decimals(7)) },
  ];
}

/** The refusal of a name that is one too long. */
export const unknownCompany = [404, 'UNKNOWN_COMPANY', { field: 'company', value: companyOf(65) }] as const;

/** Starts a service with small limits and two companies. */
export async function startLimited(t: { after(end: () => unknown): void }): Promise<TestService> {
  const service = await startService(t, {
    // Its names are made up, as many and as long as the limits allow.
    REST_LENIENT_FIELDS: 'true',
    CORE_MAX_IMAGE_BYTES: String(maxImageBytes),
    CORE_MAX_IMAGE_SIDE: String(maxSide),
    CORE_MAX_IMAGE_PIXELS: String(maxPixels),
    REST_MAX_IMAGE_BYTES: String(maxImageBytes),
    REST_MAX_BODY_BYTES: String(maxBodyBytes),
    REST_MAX_FORM_FIELDS: String(maxFields),
    REST_MAX_FIELD_BYTES: String(maxFieldBytes),
  });
  await service.createCompany(company.name, company.password);
  await service.createCompany(companyOf(64), company.password);
  return service;
}

/** A test a limit: its value is taken, the next one beyond it is refused exactly as listed. */
export function testLimits(limits: readonly Limit[]): void {
  for (const { name, most, least, send, accepted = 'OK', refused } of limits) {
    const limit = most ?? least ?? NaN;
    const beyond = most === undefined ? limit - 1 : limit + 1;
    it(`${name}: ${limit} is taken, ${beyond} is not`, async () => {
      assert.equal((await send(limit)).outcome, accepted);
      const { status, outcome, details } = await send(beyond);
      assert.deepEqual([status, outcome, details], refused);
    });
  }
}
