import type {
  CreateApiKeyRequest,
  CreateCompanyRequest,
  Operation,
} from '../../../generated/imageanalysis/v1/admin.js';
import { invalidField, missingField, type Refusal, refuseField } from '../../../runtime/errors/refusal.js';
import { companyNameRule, isCompanyName } from '../../access/companies/company-name.js';
import { knownOperations } from '../../common/operations.js';

const maxLabelLength = 128;
const minPasswordLength = 8;
const maxPasswordLength = 128;

/** @throws Refusal MISSING_FIELD, INVALID_FIELD */
export function validateNewApiKey({ label, operations, expireTime }: CreateApiKeyRequest): void {
  validateLabel(label);
  validateOperations(operations);
  validateExpireTime(expireTime);
}

/** @throws Refusal MISSING_FIELD, INVALID_FIELD */
export function validateNewCompany({ name, password }: CreateCompanyRequest): void {
  if (name === '') throw missingField('name', companyNameRule);
  if (!isCompanyName(name)) throw invalidField('name', name, companyNameRule);
  validatePassword(password);
}

function validateLabel(label: string): void {
  const wish = `1 to ${maxLabelLength} characters without control characters`;
  if (label === '') throw missingField('label', wish);
  // Control characters would affect the terminal that lists the keys, those of direction too: with them, a label may
  // look like another. PostgreSQL does not accept NUL.
  if (countCharacters(label) > maxLabelLength || hasControl(label)) {
    throw invalidField('label', label, wish);
  }
}

function validateOperations(operations: readonly Operation[]): void {
  const unknown = operations.find((operation) => !knownOperations.includes(operation));
  if (unknown !== undefined) throw invalidField('operations', unknown, `any of ${knownOperations.join(', ')}`);
}

/** A Timestamp ends with the year 9999, which milliseconds sent as seconds exceed. */
const endOfTimestamps = Date.UTC(10_000, 0);

function validateExpireTime(time: Date | undefined): void {
  if (time === undefined) return;
  const wish = 'a time in the future';
  if (!(time.getTime() < endOfTimestamps))
    throw refuseField('INVALID_FIELD', 'expire_time', `is outside the years 1 to 9999 in UTC, want ${wish}`);
  if (time <= new Date()) throw invalidField('expire_time', time.toISOString(), wish);
}

/** @throws Refusal MISSING_FIELD */
export function validateApiKeyId(id: string): void {
  if (id === '') throw missingField('id', 'the public id of an API key');
}

/** The name of a company that should exist. @throws Refusal MISSING_FIELD */
export function validateKnownName(name: string): void {
  if (name === '') throw missingField('name', 'the name of a registered company');
}

/** It must survive being sent as a UTF-8 header, as by REST. @throws Refusal MISSING_FIELD, INVALID_FIELD */
export function validatePassword(password: string): void {
  const wish = `${minPasswordLength} to ${maxPasswordLength} characters, without control characters or leading or trailing blanks`;
  if (password === '') throw missingField('password', wish);
  // Never the value: this is a secret.
  const mistaken = (has: string, limit?: string): Refusal =>
    refuseField('INVALID_FIELD', 'password', `has ${has}, want ${wish}`, { limit });
  const length = countCharacters(password);
  if (length < minPasswordLength || length > maxPasswordLength)
    throw mistaken(`${length} characters`, `${minPasswordLength}..${maxPasswordLength}`);
  // Bytes that are not UTF-8 became U+FFFD on their way here: other bytes would be the same password.
  if (hasControl(password) || password.includes('\ufffd') || password.trim() !== password)
    throw mistaken('control characters, bytes that are not UTF-8, or leading or trailing blanks');
}

/**
 * Those that end lines or turn the direction of what follows count too, and lone surrogates, which have no UTF-8
 * encoding. The marks U+200E and U+200F, which texts from right to left need, turn nothing.
 */
function hasControl(text: string): boolean {
  return /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u.test(text);
}

/** A letter that some systems enter as two code points is one, as passwords are compared. */
function countCharacters(text: string): number {
  return Array.from(text.normalize('NFC')).length;
}
