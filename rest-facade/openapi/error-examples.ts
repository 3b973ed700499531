import type { Reason } from '../../runtime/reasons.js';
import { internalMessage } from '../errors.js';
import type { Route } from '../transcode/rules.js';

/** A refusal as a caller gets it; a test has the service say each of them. */
export interface ErrorExample {
  readonly reason: Reason;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
}

const example = (
  reason: Reason,
  message: string,
  details: ErrorExample['details'] = {},
): ErrorExample => ({ reason, message, details });

const keyNotAllowed = (operation: string): ErrorExample =>
  example(
    'KEY_NOT_ALLOWED',
    `apikey is that of ia_m3k7q2x5t4bd, want one that may be used for ${operation}`,
    { key_id: 'ia_m3k7q2x5t4bd', operation },
  );

/** Of each reason the first is shown that is about something that the operation takes. */
export const errorExamples: readonly ErrorExample[] = [
  example('MISSING_FIELD', 'file is missing, want one file part with a filename', {
    field: 'file',
  }),
  example('MISSING_FIELD', 'image is missing, want data:image/<type>;base64,<data>', {
    field: 'image',
  }),
  example('MISSING_FIELD', 'detection is missing, want it in the query string', {
    field: 'detection',
  }),
  example('MISSING_FIELD', 'x-company-password is missing, want the password of the company', {
    field: 'x-company-password',
  }),
  example('REPEATED_FIELD', 'x-company-password is given 2 times, want once', {
    field: 'x-company-password',
  }),
  example('REPEATED_FIELD', 'company is given 2 times, want once', { field: 'company' }),
  example('REPEATED_FIELD', 'expected_digits is given 2 times, want once', {
    field: 'expected_digits',
  }),
  example('INVALID_FIELD', 'max_faces is 0, want a whole number from 1 to 1000', {
    field: 'max_faces',
    value: '0',
    limit: '1000',
  }),
  example('INVALID_FIELD', 'expected_digits is 2, want a whole number from 3 to 12', {
    field: 'expected_digits',
    value: '2',
    limit: '3',
  }),
  example('INVALID_FIELD', 'query string is not well encoded, want percent-encoded UTF-8', {
    field: 'query string',
  }),
  example(
    'MALFORMED_MULTIPART',
    'body cannot be parsed, want parts between boundaries and a last boundary',
  ),
  example('MALFORMED_JSON', 'body is not JSON, want a JSON object'),
  example(
    'INVALID_DATA_URL',
    'image does not begin with "data:", want data:image/<type>;base64,<data>',
    { field: 'image' },
  ),
  example(
    'INVALID_BASE64',
    'image has "%" as character 77 of its data, want base64 of the standard alphabet',
    { field: 'image', value: '%' },
  ),
  example('INVALID_SCORE', 'min_score is 1.5, want a number from 0 to 1', {
    field: 'min_score',
    value: '1.5',
  }),
  example(
    'INVALID_SCORE',
    'detection is "1.5", want a number from 0 to 1 with at most 6 decimals',
    {
      field: 'detection',
      value: '1.5',
    },
  ),
  example(
    'INVALID_SCORE',
    'detection_score is "1.5", want a number from 0 to 1 with at most 6 decimals',
    { field: 'detection_score', value: '1.5' },
  ),
  example('EMPTY_IMAGE', 'file has no bytes, want a picture file', { field: 'file' }),
  example('EMPTY_IMAGE', 'the data of image has no bytes, want a picture', { field: 'image' }),
  example('CORRUPT_IMAGE', 'file is damaged or cut off, want a whole picture file', {
    field: 'file',
  }),
  example('CORRUPT_IMAGE', 'image is damaged or cut off, want a whole picture file', {
    field: 'image',
  }),
  example('MISSING_API_KEY', 'apikey is missing, want an API key in this header', {
    field: 'apikey',
  }),
  example('INVALID_API_KEY', 'apikey is unknown, revoked or expired, want a valid one', {
    field: 'apikey',
  }),
  example(
    'COMPANY_AUTH_FAILED',
    'the company is unknown or the password is wrong, want a company and its password',
  ),
  keyNotAllowed('OPERATION_FACE_DETECTION'),
  keyNotAllowed('OPERATION_SCORE_CONFIG'),
  keyNotAllowed('OPERATION_METER_READING'),
  example('UNKNOWN_COMPANY', 'company is "acne", want the name of a registered company', {
    field: 'company',
    value: 'acne',
  }),
  example(
    'NO_FACE',
    'file has no face with a score of at least 0.5, want one or a lower threshold',
    { field: 'file', limit: '0.5' },
  ),
  example('NO_READING', 'file shows no readable counter, want a sharp photo of the wheels', {
    field: 'file',
  }),
  example('NO_READING', 'image shows no readable counter, want a sharp photo of the wheels', {
    field: 'image',
  }),
  example(
    'UNSUPPORTED_IMAGE_TYPE',
    'file is of an unknown type, want JPEG, PNG, WebP, AVIF, GIF or TIFF',
    { field: 'file' },
  ),
  example(
    'UNSUPPORTED_IMAGE_TYPE',
    'image is of an unknown type, want JPEG, PNG, WebP, AVIF, GIF or TIFF',
    { field: 'image' },
  ),
  example(
    'UNSUPPORTED_CONTENT_TYPE',
    'content-type is "application/json", want multipart/form-data with a boundary',
    { field: 'content-type', value: 'application/json' },
  ),
  example('UNSUPPORTED_CONTENT_TYPE', 'content-encoding is "gzip", want none', {
    field: 'content-encoding',
    value: 'gzip',
  }),
  example('BODY_TOO_LARGE', 'file is too large, want at most 10485760 bytes', {
    field: 'file',
    limit: '10485760',
  }),
  example('BODY_TOO_LARGE', 'image is too large, want at most 10485760 bytes', {
    field: 'image',
    limit: '10485760',
  }),
  example('BODY_TOO_LARGE', 'body is too large, want at most 65536 bytes', {
    field: 'body',
    limit: '65536',
  }),
  example(
    'IMAGE_TOO_MANY_PIXELS',
    'file has 60000000 pixels (10000 x 6000), want at most 50000000',
    { field: 'file', value: '60000000', limit: '50000000' },
  ),
  example(
    'IMAGE_TOO_MANY_PIXELS',
    'image has 60000000 pixels (10000 x 6000), want at most 50000000',
    { field: 'image', value: '60000000', limit: '50000000' },
  ),
  example('RATE_LIMITED', 'apikey has sent 601 requests, want at most 600 a minute', {
    field: 'apikey',
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
  example('SHUTTING_DOWN', 'the configuration store is not available, try again'),
];

/** The example of a reason that fits an operation best; undefined where there is none. */
export function errorExampleOf(reason: string, routes: readonly Route[]): ErrorExample | undefined {
  const names = new Set(routes.flatMap(namesOf));
  return errorExamples.find(({ reason: other, details: { field, operation } }) => {
    const isAbout = (name: string | undefined) => name === undefined || names.has(name);
    return other === reason && isAbout(field) && isAbout(operation);
  });
}

/** What refusals of an operation may be about. */
function namesOf({ body, query, headers, pathFields, openFields, rpcName }: Route): string[] {
  const [, service = ''] = /(\w+)Service\.\w+$/.exec(rpcName) ?? [];
  const operation = `OPERATION${service.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
  return [
    operation,
    'apikey',
    'query string',
    ...pathFields.keys(),
    ...[...query, ...headers, ...openFields].map(({ name }) => name),
    ...(body.kind === 'none' ? [] : ['body', 'content-encoding']),
    ...(body.kind === 'multipart' ? ['content-type', body.filePart] : []),
    ...(body.kind === 'data-url' ? [body.member] : []),
  ];
}
