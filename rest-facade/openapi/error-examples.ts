import type { Reason } from '../../runtime/errors/reasons.js';
import { internalMessage } from '../../runtime/errors/refusal.js';
import { hasPicture, type Route } from '../request/rules.js';

/** A refusal as a caller gets it; a test has the service say each that the document shows. */
export interface ErrorExample {
  readonly reason: Reason;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
}

/** In braces: a key of `namesOf`, in whose place the operation's own name is shown. */
const placeholder = /\{(.+?)\}/;

const example = (
  reason: Reason,
  message: string,
  details: ErrorExample['details'] = {},
): ErrorExample => ({ reason, message, details });

/** A refusal about the field in braces. */
const ofField = (
  reason: Reason,
  message: string,
  details: ErrorExample['details'] = {},
): ErrorExample => {
  const [field = ''] = placeholder.exec(message) ?? [];
  return { reason, message, details: { field, ...details } };
};

/** Of each reason the first is shown that is about something that the operation takes. */
const examples: readonly ErrorExample[] = [
  ofField('MISSING_FIELD', '{file part} is missing, want one file part with a filename'),
  ofField('MISSING_FIELD', '{data URL} is missing, want data:image/<type>;base64,<data>'),
  ofField('MISSING_FIELD', '{detection} is missing, want it in the query string'),
  ofField('MISSING_FIELD', '{password} is missing, want the password of the company'),
  ofField('REPEATED_FIELD', '{text} is given 2 times, want once'),
  ofField('INVALID_FIELD', '{max_faces} is 0, want a whole number from 1 to 1000', {
    value: '0',
    limit: '1000',
  }),
  ofField('INVALID_FIELD', '{expected_digits} is 2, want a whole number from 3 to 12', {
    value: '2',
    limit: '3',
  }),
  ofField('INVALID_FIELD', '{query string} is not well encoded, want percent-encoded UTF-8'),
  example(
    'MALFORMED_MULTIPART',
    'body cannot be parsed, want parts between boundaries and a last boundary',
  ),
  example('MALFORMED_JSON', 'body is not JSON, want a JSON object'),
  ofField(
    'INVALID_DATA_URL',
    '{data URL} does not begin with "data:", want data:image/<type>;base64,<data>',
  ),
  ofField(
    'INVALID_BASE64',
    '{data URL} has "%" as character 77 of its data, want base64 of the standard alphabet',
    { value: '%' },
  ),
  ofField('INVALID_SCORE', '{score} is "1.5", want a number from 0 to 1 with at most 6 decimals', {
    value: '1.5',
  }),
  ofField('EMPTY_IMAGE', '{file part} has no bytes, want a picture file'),
  ofField('EMPTY_IMAGE', 'the data of {data URL} has no bytes, want a picture'),
  ofField('CORRUPT_IMAGE', '{image} is damaged or cut off, want a whole picture file'),
  ofField('MISSING_API_KEY', '{apikey} is missing, want an API key in this header'),
  ofField('INVALID_API_KEY', '{apikey} is unknown, revoked or expired, want a valid one'),
  example(
    'COMPANY_AUTH_FAILED',
    'the company is unknown or the password is wrong, want a company and its password',
  ),
  example(
    'KEY_NOT_ALLOWED',
    'apikey ia_m3k7q2x5t4bd is not allowed to use {operation}, want one that is',
    { key_id: 'ia_m3k7q2x5t4bd', operation: '{operation}' },
  ),
  ofField('UNKNOWN_COMPANY', '{company} is "acne", want the name of a registered company', {
    value: 'acne',
  }),
  ofField(
    'NO_FACE',
    '{image} has no face with a score of at least 0.5, want one or a lower threshold',
    { limit: '0.5' },
  ),
  ofField('NO_READING', '{image} shows no readable counter, want a sharp photo of the wheels'),
  ofField(
    'UNSUPPORTED_IMAGE_TYPE',
    '{image} is of an unknown type, want JPEG, PNG, WebP, AVIF, GIF or TIFF',
  ),
  ofField(
    'UNSUPPORTED_CONTENT_TYPE',
    '{content-type} is "application/json", want multipart/form-data with a boundary',
    { value: 'application/json' },
  ),
  ofField('UNSUPPORTED_CONTENT_TYPE', '{content-encoding} is "gzip", want none', {
    value: 'gzip',
  }),
  ofField('BODY_TOO_LARGE', '{image} is too large, want at most 10485760 bytes', {
    limit: '10485760',
  }),
  ofField('BODY_TOO_LARGE', '{body} is too large, want at most 65536 bytes', { limit: '65536' }),
  ofField(
    'IMAGE_TOO_MANY_PIXELS',
    '{image} has 60000000 pixels (10000 x 6000), want at most 50000000',
    { value: '60000000', limit: '50000000' },
  ),
  ofField('RATE_LIMITED', '{apikey} has sent 601 requests, want at most 600 per minute', {
    value: '601',
    limit: '600',
  }),
  example(
    'QUEUE_FULL',
    'the queue has 52 ahead of this request and room for 52, try again in 3 s',
    { value: '52', limit: '52' },
  ),
  example('DEADLINE', 'the request took longer than 30000 ms, try again', { limit: '30000' }),
  example('INTERNAL', internalMessage),
  example('CORE_UNAVAILABLE', 'the service is not ready to answer, try again'),
  example('SHUTTING_DOWN', 'the service is shutting down, try again'),
  example('STORE_UNAVAILABLE', 'the configuration store is not available, try again'),
  example('WORKER_LOST', 'the analysis lost its worker, try again', { begun: 'true' }),
];

/** The example of a reason that fits an operation best; undefined where there is none. */
export function errorExampleOf(reason: Reason, routes: readonly Route[]): ErrorExample | undefined {
  const names = new Map(routes.flatMap(namesOf));
  const found = examples.find(({ reason: other, message }) => {
    const [, about] = placeholder.exec(message) ?? [];
    return other === reason && (about === undefined || names.has(about));
  });
  if (found === undefined) return undefined;
  const fill = (text: string) =>
    text.replace(placeholder, (_, key: string) => names.get(key) ?? '');
  const details = Object.entries(found.details).map(([name, value]) => [name, fill(value)]);
  return example(reason, fill(found.message), Object.fromEntries(details) as typeof found.details);
}

type Name = readonly [key: string, name: string];

/** What refusals of an operation may be about: fields of its message by what the caller sends them as. */
function namesOf({ body, query, headers, openFields, rpcName }: Route): Name[] {
  const sent = [...openFields.map((field) => ({ name: field.name, field })), ...query, ...headers];
  const [, service = ''] = /(\w+)Service\.\w+$/.exec(rpcName) ?? [];
  return [
    ['operation', `OPERATION${service.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`],
    ['apikey', 'apikey'],
    ['query string', 'query string'],
    ...sent.map(({ name, field }): Name => [field?.name ?? name, name]),
    ...sent.flatMap(({ name, field }): Name[] =>
      field?.type === 'score' ? [['score', name]] : [],
    ),
    ...[...headers, ...openFields].slice(0, 1).map(({ name }): Name => ['text', name]),
    ...namesOfBody(body),
  ];
}

function namesOfBody(body: Route['body']): Name[] {
  if (body.kind === 'none') return [];
  const names: Name[] = [
    ['body', 'body'],
    ['content-encoding', 'content-encoding'],
  ];
  if (body.kind === 'multipart')
    names.push(['content-type', 'content-type'], ['file part', body.sentAs]);
  if (body.kind === 'data-url') names.push(['data URL', body.sentAs]);
  if (hasPicture(body)) names.push([body.field, body.sentAs]);
  return names;
}
