import type { IncomingMessage } from 'node:http';
import type { RequestLimits } from '../config.js';
import type { ParsedBody } from './bind-request.js';
import { decodeDataUrl } from './body/data-url.js';
import { parseJsonObject } from './body/parse-json-object.js';
import type { Reading } from './body/pump.js';
import { readBytes } from './body/read-bytes.js';
import { readMultipart } from './body/read-multipart.js';
import { checkHeaders } from './body-framing.js';
import { checkNames } from './check-names.js';
import { hasPicture, type Route } from './route.js';

/** Limit of a body without a picture, and of what is beside one, bytes. */
export const maxPlainBodyBytes = 64 * 1024;

/** Reads and parses the body of a request as its route says. @throws Refusal */
export async function readBody(
  { body: rule, names }: Pick<Route, 'body' | 'names'>,
  request: IncomingMessage,
  limits: RequestLimits,
  reading: Reading,
): Promise<ParsedBody> {
  if (rule.kind === 'none') return {};
  const maxPictureBytes = rule.kind === 'raw' ? limits.maxImageBytes : limits.maxBodyBytes;
  const options = { ...reading, maxBodyBytes: hasPicture(rule) ? maxPictureBytes : maxPlainBodyBytes };
  checkHeaders(request, options.maxBodyBytes);
  if (rule.kind === 'multipart') {
    const { sentAs, maxFiles } = rule;
    const pictures: Uint8Array[] = [];
    const files = { sentAs, maxFiles: maxFiles ?? 1, names, areSeparate: false };
    const fields = await readMultipart(request, files, limits, options, ({ bytes }) => pictures.push(bytes));
    return { picture: maxFiles === undefined ? (pictures[0] as Uint8Array) : pictures, fields };
  }
  if (rule.kind === 'raw') return { picture: await readBytes(request, options) };
  const members = parseJsonObject(await readBytes(request, options));
  checkNames({ names }, Object.keys(members), limits);
  if (!hasPicture(rule)) return { members };
  // Without the picture's text, so that it is not held while the core works.
  const { [rule.sentAs]: dataUrl, ...rest } = members;
  return { picture: decodeDataUrl(dataUrl, rule.sentAs, limits.maxImageBytes), members: rest };
}
