import { closestMatch } from 'leven';
import { clip, quote, Refusal, refuse, refuseField } from '../../runtime/errors/refusal.js';
import type { RequestLimits } from '../config.js';
import { describeJson, type Field, invalidReasonOf, onlyValue, parseText } from './field.js';
import type { NamedValue } from './parse-target.js';
import { hasPicture, type Route } from './route.js';

/** The body of a request, read and parsed according to the route's body rule. */
export interface ParsedBody {
  /** A list if the form may have several. */
  readonly picture?: Uint8Array | readonly Uint8Array[];
  /** Of a form. */
  readonly fields?: readonly NamedValue[];
  /** Of a JSON object. */
  readonly members?: Readonly<Record<string, unknown>>;
}

export interface RequestParts {
  /** Variables of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly NamedValue[];
  /** All values of a header by its lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: ParsedBody;
}

/** A request message with the names of the proto. Absent fields stay absent: the core knows the defaults. */
export type RequestMessage = Record<string, unknown>;

/**
 * Refuses body fields in the query string: if they were ignored, a company would get the default score unnoticed. The message omits the values, since some are secrets.
 * @throws Refusal INVALID_FIELD
 */
export function checkQuery({ body, openFields }: Route, query: readonly NamedValue[]): void {
  if (body.kind === 'none' || body.kind === 'raw') return;
  const stray = openFields.find((field) => query.some(({ name }) => name === field.name));
  if (stray === undefined) return;
  const place = body.kind === 'multipart' ? 'a field of the form' : 'a member of the body';
  throw refuseField('INVALID_FIELD', stray.name, `is in the query string, want it as ${place}`);
}

/**
 * Refuses names that a route does not know, unless they are to be ignored: if a misspelt `min_score` were ignored, a
 * check would be off unnoticed. The refusal says which known name is nearest, if no more than half of it is wrong. Beside
 * a password, it does not repeat the unknown one: that is the rest of the password if an `&` in it was not encoded.
 * @throws Refusal UNKNOWN_FIELD
 */
export function checkNames(
  { names }: Pick<Route, 'names'>,
  given: readonly string[],
  { lenientFields }: RequestLimits,
): void {
  const unknown = lenientFields ? undefined : given.find((name) => !names.has(name));
  if (unknown === undefined) return;
  const isShown = !names.has('password');
  const shown = clip(unknown);
  const nearest = closestMatch(shown, [...names], { maxDistance: Math.floor(shown.length / 2) });
  const known = nearest === undefined ? 'a known field' : `a known field such as ${nearest}`;
  const wish = names.size === 0 ? 'no fields' : known;
  throw refuse('UNKNOWN_FIELD', `${isShown ? `field ${quote(unknown)}` : 'a field'} is unknown, want ${wish}`, {
    details: { ...(isShown && { field: shown }), ...(nearest !== undefined && { nearest }) },
  });
}

/**
 * Builds the request message. Names that the route does not know are ignored: what refuses them is `checkNames`.
 * @throws Refusal REPEATED_FIELD, INVALID_FIELD, INVALID_SCORE
 */
export function bindRequest(route: Route, parts: RequestParts): RequestMessage {
  const message: RequestMessage = {};
  bindBody(route, parts, message);
  for (const rule of route.query) {
    if (rule.field === undefined) continue;
    const value = onlyValue(parts.query, rule.name);
    if (value !== undefined) message[rule.field.name] = parseText(rule.field, value, rule.name);
  }
  for (const { name, field } of route.headers) {
    const values = (parts.headers[name] ?? []).map((value) => ({ name, value }));
    const value = onlyValue(values, name);
    if (value !== undefined) message[field.name] = parseText(field, decodeHeader(value), name);
  }
  for (const field of route.pathFields) {
    message[field.name] = parseText(field, parts.params[field.name] ?? '');
  }
  checkContradictions(route, parts, message);
  return message;
}

/**
 * Refuses a second, different value for a field that the path, a header or a query parameter has filled, under the
 * field's own name in the query string, form or JSON: if it were ignored, the score of the wrong company might be set.
 * The same value is no harm; an empty text is absent here too. The message omits the values, since some are secrets.
 */
function checkContradictions(
  { pathFields, headers, query: rules }: Route,
  { query, body: { fields = [], members = {} } }: RequestParts,
  message: RequestMessage,
): void {
  const filled = [...headers, ...rules].flatMap(({ field }) => field ?? []);
  for (const field of [...pathFields, ...filled]) {
    const { name } = field;
    if (!(name in message)) continue;
    const texts = [...query, ...fields].filter((given) => given.name === name && given.value !== '');
    const others = texts.map(({ value }) => parseText(field, value));
    const member = memberOf(members, name);
    if (member !== undefined) others.push(parseMember(field, member));
    if (others.some((other) => other !== message[name])) throw contradiction(name);
  }
}

function contradiction(name: string): Refusal {
  return refuseField('INVALID_FIELD', name, 'is given twice with different values, want one');
}

/** Fills the fields that the body, or without one the query string, has under their own names. */
function bindBody({ body, openFields }: Route, parts: RequestParts, message: RequestMessage): void {
  const { picture, members, fields = parts.query } = parts.body;
  if (hasPicture(body)) message[body.field] = picture;
  for (const field of openFields) {
    const { name } = field;
    if (members !== undefined) {
      const member = memberOf(members, name);
      if (member !== undefined) message[name] = parseMember(field, member);
      continue;
    }
    const text = onlyValue(fields, name);
    // An empty text is what an HTML form sends for a field left blank: the same as an absent one.
    if (!text) continue;
    const variant = variantOf(field, text, openFields);
    const value = variant ? true : parseText(field, text);
    // By the word of a boolean before it.
    if (name in message && message[name] !== value) throw contradiction(name);
    message[name] = value;
    if (variant) message[variant.name] = true;
  }
}

/** Undefined if it is absent or null, which is the same in the JSON mapping of proto3. */
function memberOf(members: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(members, name) ? (members[name] ?? undefined) : undefined;
}

/** A boolean may be a word that another one is named after: `crop=aligned` is `crop` and `crop_aligned`. */
function variantOf(field: Field, word: string, fields: readonly Field[]): Field | undefined {
  const name = `${field.name}_${word}`;
  return fields.find((other) => other.name === name && other.type === 'bool' && field.type === 'bool');
}

/** A JSON value of the field's own type; numbers may also be strings in plain decimal notation. */
export function parseMember(field: Field, value: unknown): unknown {
  if (field.isList) {
    if (!Array.isArray(value)) throw wrongType(field, value, 'an array');
    return value.map((item) => parseMember({ ...field, isList: false }, item));
  }
  if (typeof value === 'string' && field.type !== 'bool') return parseText(field, value);
  if (field.type === 'bool') {
    if (typeof value === 'boolean') return value;
    throw wrongType(field, value, 'true or false');
  }
  if (!['score', 'share', 'uint32'].includes(field.type)) throw wrongType(field, value, 'a string');
  if (typeof value !== 'number') throw wrongType(field, value, 'a number');
  // 1e400 is Infinity once parsed.
  if (!Number.isFinite(value)) throw wrongType(field, value, 'one that fits 64 bits');
  return parseText(field, String(value));
}

function wrongType({ name, type }: Field, value: unknown, wish: string): Refusal {
  return refuseField(invalidReasonOf(type), name, `is ${describeJson(value)}, want ${wish}`);
}

/** Node.js decodes header bytes as Latin-1; clients send UTF-8. Anything that is not valid UTF-8 was Latin-1. */
function decodeHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return value;
  }
}

/**
 * A refusal by the core in the caller's terms. The core names the field of its message; if the caller
 * filled that field under another name (`file`, `detection`, `x-company-password`), the refusal names what
 * was sent, in `details.field` and at the start of the sentence.
 */
export function nameAsSent(refusal: Refusal, route: Route): Refusal {
  const { code, reason, message, details, retryAfterSeconds, cause } = refusal;
  const { field = '' } = details;
  const sent = route.sentAs.get(field);
  if (sent === undefined) return refusal;
  const named = message.startsWith(`${field} `) ? sent + message.slice(field.length) : message;
  return new Refusal(code, reason, named, { details: { ...details, field: sent }, retryAfterSeconds, cause });
}
