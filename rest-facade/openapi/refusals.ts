import { status } from '@grpc/grpc-js';
import { Operation } from '../../generated/imageanalysis/v1/admin.js';
import { codeOfReason, type Reason } from '../../runtime/errors/reasons.js';
import {
  bodyTooLarge,
  internalFault,
  invalidField,
  missingField,
  noRoom,
  type Refusal,
  refuse,
  refuseField,
  shuttingDown,
  tooManyOpen,
} from '../../runtime/errors/refusal.js';
import type { RequestLimits } from '../config.js';
import { coreUnavailable } from '../core-client/grpc-error.js';
import { fieldOptionsOf } from '../protos/field-options.js';
import { readProtos } from '../protos/rpcs.js';
import { missingApiKey } from '../request/api-key.js';
import { filesTooLarge, missingFile } from '../request/body/form.js';
import { unknownField } from '../request/check-names.js';
import { nameContentTypes } from '../request/choose-route.js';
import { badlyEncoded } from '../request/parse-target.js';
import { maxPlainBodyBytes } from '../request/read-body.js';
import { hasPicture, isChoice, type Route } from '../request/route.js';
import { unwrap } from './schema.js';

/** Why a call is refused: a row of the table of errors, which is the enumeration of the protos. */
export type ErrorReason = ReturnType<typeof readReasons>[number];

export function readReasons() {
  const { values, comments } = readProtos(['imageanalysis/v1/errors.proto']).lookupEnum('imageanalysis.v1.ErrorReason');
  return Object.keys(values)
    .filter((value) => values[value] !== 0)
    .map((value) => {
      const name = value.replace('ERROR_REASON_', '') as Reason;
      return {
        name,
        /** Name of the gRPC code it comes with. */
        code: status[codeOfReason[name]],
        comment: unwrap(comments[value] ?? ''),
      };
    });
}

/**
 * What an operation may be refused for: an example of each reason, as its callers get it. A test has the service say each
 * that the document shows.
 * @param routes of the operation: of a reason that several have, the last one gives the example
 */
export function refusalsOf(routes: readonly Route[], limits: RequestLimits): ReadonlyMap<string, Refusal> {
  const refusals = new Map<string, Refusal>();
  for (const route of routes) {
    const sending = describeSending(route, limits);
    for (const [reason, exampleOf] of Object.entries(examples)) {
      const example = exampleOf(sending, route.refusals.includes(reason as Reason));
      if (example) refusals.set(reason, example);
    }
  }
  return refusals;
}

/** What requests of a route have that refusals are about; names are those that callers use. */
function describeSending(route: Route, limits: RequestLimits) {
  const { body, query, headers, openFields, isBatch, rpc } = route;
  const operation = operationOf(route);
  return {
    ...route,
    limits,
    key: rpc.key,
    /** What a key must be allowed to do; undefined if any key will do. */
    operation: operation.toUpperCase() in Operation ? operation : undefined,
    upload: hasPicture(body) ? body : undefined,
    file: body.kind === 'multipart' ? body.sentAs : undefined,
    dataUrl: body.kind === 'data-url' ? body.sentAs : undefined,
    /** What the core says of pictures is about this; of a batch, it is in the lines. */
    picture: hasPicture(body) && !isBatch ? body.sentAs : undefined,
    hasBody: body.kind !== 'none',
    isJson: body.kind === 'json' || body.kind === 'data-url',
    sent: [
      ...headers,
      ...query.flatMap(({ name, field }) => (field ? [{ name, field }] : [])),
      ...openFields.map((field) => ({ name: field.name, field })),
    ],
  };
}

/** @param isNamed whether the options of the RPC name the reason @returns nothing if no request is refused for it */
type Example = (sending: ReturnType<typeof describeSending>, isNamed: boolean) => Refusal | '' | false | undefined;

/** Reasons for refusing what is no operation, and one that nobody is there to read. */
type ElsewhereReason = 'NO_SUCH_ROUTE' | 'METHOD_NOT_ALLOWED' | 'CLIENT_CLOSED';

/** What the core wants of required fields, by the names that callers use. */
const wishes: Readonly<Record<string, string>> = {
  'x-company-password': 'the password of the company',
  label: '1 to 128 characters without control characters',
  name: '1 to 64 ASCII letters, digits, ".", "_" or "-", but not only dots',
  password: '8 to 128 characters, without control characters or leading or trailing blanks',
  detection_score: 'a number from 0 to 1 with at most 6 decimals',
};

/** By their reasons; with the default limits of the core. */
const examples: Readonly<Record<Exclude<Reason, ElsewhereReason>, Example>> = {
  MISSING_FIELD: ({ file, dataUrl, query, sent }) => {
    if (file) return missingFile(file);
    if (dataUrl) return missingField(dataUrl, 'data:image/<type>;base64,<data>');
    const choice = query.find(isChoice);
    if (choice) return missingField(choice.name, 'it in the query string');
    const required = sent.find(({ field }) => fieldOptionsOf(field.definition).required);
    return required && missingField(required.name, wishes[required.name] ?? 'a value');
  },
  REPEATED_FIELD: ({ file, isJson, headers, openFields }) => {
    // In JSON, the last one counts.
    const [text] = isJson ? headers : [...headers, ...openFields];
    if (text) return refuseField('REPEATED_FIELD', text.name, 'is given 2 times, want once');
    return file && refuseField('REPEATED_FIELD', file, 'is given more than once, want one file');
  },
  INVALID_FIELD: ({ isBatch, request: { fields } }) => {
    const invalid = (name: string, value: number, least: number, most: number) => {
      const clause = `is ${value}, want a whole number from ${least} to ${most}`;
      return refuseField('INVALID_FIELD', name, clause, { value, limit: least });
    };
    if (!isBatch && 'max_faces' in fields) return invalid('max_faces', 0, 1, 1000);
    if (!isBatch && 'expected_digits' in fields) return invalid('expected_digits', 2, 3, 12);
    return badlyEncoded('query string');
  },
  UNKNOWN_FIELD: ({ names }) => {
    const [known] = names;
    return unknownField(names, known?.slice(0, -1) ?? 'verbose');
  },
  MALFORMED_MULTIPART: ({ file }) =>
    file && refuse('MALFORMED_MULTIPART', 'body cannot be parsed, want parts between boundaries and a last boundary'),
  MALFORMED_JSON: ({ isJson }) => isJson && refuse('MALFORMED_JSON', 'body is not JSON, want a JSON object'),
  INVALID_DATA_URL: ({ dataUrl }) => {
    const clause = 'does not begin with "data:", want data:image/<type>;base64,<data>';
    return dataUrl && refuseField('INVALID_DATA_URL', dataUrl, clause);
  },
  INVALID_BASE64: ({ dataUrl }) => {
    const clause = 'has "%" as character 77 of its data, want base64 of the standard alphabet';
    return dataUrl && refuseField('INVALID_BASE64', dataUrl, clause, { value: '%' });
  },
  INVALID_SCORE: ({ sent }) => {
    const score = sent.find(({ field }) => field.type === 'score');
    const wish = 'a number from 0 to 1 in plain decimal notation with at most 6 decimals';
    return score && invalidField(score.name, '0,5', wish, 'INVALID_SCORE');
  },
  EMPTY_IMAGE: ({ picture, dataUrl }) => {
    if (!dataUrl) return picture && refuseField('EMPTY_IMAGE', picture, 'has no bytes, want a picture file');
    const message = `the data of ${dataUrl} has no bytes, want a picture`;
    return refuse('EMPTY_IMAGE', message, { details: { field: dataUrl } });
  },
  CORRUPT_IMAGE: ({ picture }) =>
    picture && refuseField('CORRUPT_IMAGE', picture, 'is damaged or cut off, want a whole picture file'),

  MISSING_API_KEY: ({ key }) => missingApiKey(key),
  INVALID_API_KEY: ({ key }) => {
    const isAdmin = key === 'adminkey';
    const clause = isAdmin
      ? 'is wrong, want the key of AdminService'
      : 'is unknown, revoked or expired, want a valid one';
    return refuseField('INVALID_API_KEY', key, clause);
  },
  COMPANY_AUTH_FAILED: (_, isNamed) =>
    isNamed &&
    refuse('COMPANY_AUTH_FAILED', 'the company is unknown or the password is wrong, want a company and its password'),
  KEY_NOT_ALLOWED: ({ operation }) => {
    if (operation === undefined) return undefined;
    const details = { key_id: 'ia_m3k7q2x5t4bd', operation };
    const message = `apikey ${details.key_id} is not allowed to use ${operation}, want one that is`;
    return refuse('KEY_NOT_ALLOWED', message, { details });
  },

  UNKNOWN_COMPANY: ({ request }, isNamed) => {
    const field = 'company' in request.fields ? 'company' : 'name';
    return isNamed && invalidField(field, 'acne', 'the name of a registered company', 'UNKNOWN_COMPANY');
  },
  NO_FACE: ({ picture }, isNamed) => {
    const clause = 'has no face that scored 0.5 or higher, try a lower min_score';
    return isNamed && picture && refuseField('NO_FACE', picture, clause, { limit: 0.5 });
  },
  NO_READING: ({ picture, upload }, isNamed) => {
    const clause =
      upload?.maxFiles === undefined
        ? 'shows no counter that can be read, try a sharp photo of its wheels'
        : 'showed no counter that can be read, try sharp photos of its wheels';
    return isNamed && picture && refuseField('NO_READING', picture, clause);
  },
  UNKNOWN_API_KEY: (_, isNamed) =>
    isNamed && invalidField('id', 'ia_m3k7q2x5t4bd', 'the public id of an API key', 'UNKNOWN_API_KEY'),
  COMPANY_EXISTS: (_, isNamed) =>
    isNamed && invalidField('name', 'acme', 'one that is not registered', 'COMPANY_EXISTS'),

  UNSUPPORTED_IMAGE_TYPE: ({ picture }) => {
    const clause = 'is of an unknown type, want JPEG, PNG, WebP, AVIF, GIF or TIFF';
    return picture && refuseField('UNSUPPORTED_IMAGE_TYPE', picture, clause);
  },
  UNSUPPORTED_CONTENT_TYPE: (sending) => {
    const invalid = (header: string, value: string, wish: string) =>
      invalidField(header, value, wish, 'UNSUPPORTED_CONTENT_TYPE');
    if (sending.file) return invalid('content-type', 'text/plain', nameContentTypes(sending));
    return sending.hasBody && invalid('content-encoding', 'gzip', 'none');
  },

  BODY_TOO_LARGE: ({ upload, hasBody, isBatch, limits: { maxImageBytes, maxBatchBytes } }) => {
    // A picture that is too large is refused in its line.
    if (isBatch) return bodyTooLarge('body', maxBatchBytes);
    if (upload === undefined) return hasBody && bodyTooLarge('body', maxPlainBodyBytes);
    return (upload.maxFiles === undefined ? bodyTooLarge : filesTooLarge)(upload.sentAs, maxImageBytes);
  },
  IMAGE_TOO_MANY_PIXELS: ({ picture }) => {
    const facts = { value: 60_000_000, limit: 50_000_000 };
    const clause = `has ${facts.value} pixels (10000 x 6000), want at most ${facts.limit}`;
    return picture && refuseField('IMAGE_TOO_MANY_PIXELS', picture, clause, facts);
  },
  RATE_LIMITED: ({ key }) => {
    if (key === 'apikey')
      return refuseField('RATE_LIMITED', key, 'has sent 601 requests, want at most 600 per minute', {
        value: 601,
        limit: 600,
      });
    const clause = 'was wrong 10 times, want fewer than 10 in 60 s, try again in 42 s';
    return refuseField('RATE_LIMITED', key, clause, { limit: 10 });
  },
  QUEUE_FULL: ({ isBatch, picture, hasBody }, isNamed) => {
    if (isBatch) return tooManyOpen('batches');
    if (!picture && !isNamed) return hasBody && noRoom();
    const queue = picture ? 'the queue' : 'the queue for passwords';
    const message = `${queue} has 52 ahead of this request and room for 52, try again in 3 s`;
    return refuse('QUEUE_FULL', message, { value: 52, limit: 52 });
  },

  DEADLINE: ({ limits: { requestTimeoutMs: limit } }) =>
    refuse('DEADLINE', `the request took longer than ${limit} ms, try again`, { limit }),
  INTERNAL: () => internalFault(undefined),
  CORE_UNAVAILABLE: () => coreUnavailable(undefined),
  SHUTTING_DOWN: () => shuttingDown(),
  STORE_UNAVAILABLE: () => refuse('STORE_UNAVAILABLE', 'the configuration store is not available, try again'),
  WORKER_LOST: ({ picture }) =>
    picture && refuse('WORKER_LOST', 'the analysis lost its worker, try again', { details: { begun: 'true' } }),
};

/** `FaceDetectionService` becomes "Face detection". */
export function tagOf({ rpc }: Route): string {
  const service = rpc.method.parent?.name ?? '';
  const words = service.replace(/Service$/, '').split(/(?=[A-Z])/);
  return words.map((word, at) => (at === 0 ? word : word.toLowerCase())).join(' ');
}

/** What a key must be allowed to do for it: `face_detection`. */
const operationOf = (route: Route): string => tagOf(route).toLowerCase().replaceAll(' ', '_');
