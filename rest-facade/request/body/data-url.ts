import {
  bodyTooLarge,
  missingField,
  quote,
  type Refusal,
  refuse,
  refuseField,
} from '../../../runtime/errors/refusal.js';
import { describeJson } from '../field.js';

/** `data:<type>/<subtype>[;<parameter>]*;base64,` as in RFC 2397; the scheme, the type and `base64` in any case. */
const header = /^data:([a-z0-9!#$&^_.+-]+)\/([a-z0-9!#$&^_.+-]+)((?:;[^;,]*)*);base64$/i;

const dataUrl = 'data:image/<type>;base64,<data>';

/** No prefix is longer; a text without a comma is not searched to its end. */
const maxHeaderLength = 256;

/**
 * Decodes a picture given as a data URL.
 *
 * - The media type must be `image/…`; which one does not matter, for the core goes by the bytes.
 * - base64 of the standard alphabet, padded or not. Line breaks and tabs in it are skipped, since many
 *   encoders break lines, and blanks at either end. Everything else is refused: a decoder that skips it
 *   would hand over a picture that the caller never had.
 *
 * Refusals say where the mistake is, and nothing about the picture.
 *
 * @param member named in refusals
 * @throws Refusal MISSING_FIELD, INVALID_DATA_URL, INVALID_BASE64, EMPTY_IMAGE, BODY_TOO_LARGE
 */
export function decodeDataUrl(text: unknown, member: string, maxBytes: number): Buffer {
  if (text === undefined || text === null || text === '') throw missingField(member, dataUrl);
  if (typeof text !== 'string') throw noDataUrl(member, `is ${describeJson(text)}`);
  const comma = text.slice(0, maxHeaderLength).indexOf(',');
  const match = comma < 0 ? null : header.exec(text.slice(0, comma));
  if (match === null) throw noDataUrl(member, mistakeInHeader(text, comma));
  const [, type = '', subtype = ''] = match;
  const mediaType = `${type}/${subtype}`;
  if (type.toLowerCase() !== 'image')
    throw refuseField('INVALID_DATA_URL', member, `has the media type "${mediaType}", want image/<type>`, {
      value: mediaType,
    });
  const bytes = decodeBase64(text.slice(comma + 1), member);
  if (bytes.length === 0)
    throw refuse('EMPTY_IMAGE', `the data of ${member} has no bytes, want a picture`, { details: { field: member } });
  if (bytes.length > maxBytes) throw bodyTooLarge(member, maxBytes);
  return bytes;
}

function noDataUrl(member: string, mistake: string): Refusal {
  return refuseField('INVALID_DATA_URL', member, `${mistake}, want ${dataUrl}`);
}

function mistakeInHeader(text: string, comma: number): string {
  if (!/^data:/i.test(text)) return 'does not begin with "data:"';
  if (comma < 0) return `has no comma in its first ${maxHeaderLength} characters`;
  return `begins with ${quote(text.slice(0, comma + 1))}`;
}

/** Decodes base64 as a data URL has it. @throws Refusal INVALID_BASE64 */
export function decodeBase64(text: string, member: string): Buffer {
  const data = text.trim();
  const bytes = decodeDigits(data) ?? decodeDigits(withoutLineBreaks(data));
  if (bytes !== undefined) return bytes;
  // A blank may be a `+` that something decoded as that of a form.
  const at = data.search(/[^A-Za-z0-9+/=\t\n\f\r]/);
  if (at >= 0) throw wrongCharacter(member, data, at);
  throw refuseField('INVALID_BASE64', member, 'has incomplete base64, want groups of 4, and "=" at the end only');
}

function wrongCharacter(member: string, data: string, at: number): Refusal {
  const code = data.codePointAt(at) ?? 0;
  const isShown = code > 0x20 && code < 0x7f;
  const value = isShown ? String.fromCodePoint(code) : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const place = `as character ${at + 1} of its data`;
  const clause = `has ${isShown ? quote(value) : value} ${place}, want base64 of the standard alphabet`;
  return refuseField('INVALID_BASE64', member, clause, { value });
}

/**
 * Decodes base64 without white space; undefined if it is not base64. Node's decoder skips other characters, accepts
 * URL-safe digits and truncates wide characters. Detecting that afterwards costs half as much as searching first.
 */
function decodeDigits(data: string): Buffer | undefined {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  const digits = data.slice(0, data.length - padding);
  // One extra character is 6 bits, less than a byte. Padding may be absent but not wrong.
  const over = digits.length % 4;
  if (over === 1 || (padding > 0 && padding !== 4 - over)) return undefined;
  const bytes = Buffer.from(digits, 'base64');
  const areAllDigits =
    bytes.length === Math.floor((digits.length * 3) / 4) &&
    !digits.includes('-') &&
    !digits.includes('_') &&
    Buffer.byteLength(digits) === digits.length;
  return areAllDigits ? bytes : undefined;
}

/** In bytes: replacing would take seconds where every other character is a line break. */
function withoutLineBreaks(data: string): string {
  const bytes = Buffer.from(data);
  let length = 0;
  // By index, which takes a sixth of the time of an iterator here.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    const isBreak = byte === 9 || byte === 10 || byte === 12 || byte === 13;
    if (!isBreak) bytes[length++] = byte;
  }
  return bytes.toString('latin1', 0, length);
}
