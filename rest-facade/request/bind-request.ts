import { refuseField } from '../../runtime/errors/refusal.js';
import { type Field, onlyValue, parseMember, parseText } from './field.js';
import type { NamedValue } from './parse-target.js';
import { hasPicture, type Route } from './route.js';

/** The body of a request, read and parsed according to the route's body rule. */
export interface ParsedBody {
  /** A list if the form may have several. */
  readonly picture?: Uint8Array | readonly Uint8Array[];
  readonly fields?: readonly NamedValue[];
  readonly members?: Readonly<Record<string, unknown>>;
}

export interface RequestParts {
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly NamedValue[];
  /** All values of a header by its lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: ParsedBody;
}

/** A request message with the names of the proto. Absent fields stay absent: the core knows the defaults. */
export type RequestMessage = Record<string, unknown>;

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
  return message;
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
    if (name in message && message[name] !== value)
      throw refuseField('INVALID_FIELD', name, 'is given twice with different values, want one');
    message[name] = value;
    if (variant) message[variant.name] = true;
  }
}

/** Undefined if it is absent or null, which is the same in the JSON mapping of proto3. */
function memberOf(members: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(members, name) ? (members[name] ?? undefined) : undefined;
}

/** A boolean may be a word that another one is named after: `crop=aligned` is `crop` and `crop_aligned`. */
function variantOf({ name, words }: Field, text: string, fields: readonly Field[]): Field | undefined {
  const word = words.find((each) => each === text.toLowerCase());
  return word === undefined ? undefined : fields.find((other) => other.name === `${name}_${word}`);
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
