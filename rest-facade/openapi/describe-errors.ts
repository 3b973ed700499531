import { codeOfReason, type Reason } from '../../runtime/errors/reasons.js';
import { hasPicture, type Route } from '../request/rules.js';
import { toHttpStatus } from '../response/http-error.js';
import type { Definitions, ErrorReason } from './definitions.js';
import { type ErrorExample, errorExampleOf } from './error-examples.js';
import { rulesOf } from './field-rules.js';
import type { Schema } from './schema.js';

/** What any operation may be refused for. */
const common: readonly Reason[] = [
  'INVALID_FIELD',
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'KEY_NOT_ALLOWED',
  'RATE_LIMITED',
  'DEADLINE',
  'INTERNAL',
  'CORE_UNAVAILABLE',
  'SHUTTING_DOWN',
  'STORE_UNAVAILABLE',
];

/** What a body adds, by its kind. */
const byBody: Readonly<Record<Route['body']['kind'], readonly Reason[]>> = {
  none: ['REPEATED_FIELD'],
  json: [
    'REPEATED_FIELD',
    'MALFORMED_JSON',
    'UNSUPPORTED_CONTENT_TYPE',
    'BODY_TOO_LARGE',
    'QUEUE_FULL',
  ],
  multipart: [
    'REPEATED_FIELD',
    'MISSING_FIELD',
    'MALFORMED_MULTIPART',
    'UNSUPPORTED_CONTENT_TYPE',
    'BODY_TOO_LARGE',
  ],
  'data-url': [
    'MISSING_FIELD',
    'MALFORMED_JSON',
    'INVALID_DATA_URL',
    'INVALID_BASE64',
    'UNSUPPORTED_CONTENT_TYPE',
    'BODY_TOO_LARGE',
  ],
};

/** What a picture adds. */
const ofPictures: readonly Reason[] = [
  'EMPTY_IMAGE',
  'CORRUPT_IMAGE',
  'UNSUPPORTED_IMAGE_TYPE',
  'IMAGE_TOO_MANY_PIXELS',
  'QUEUE_FULL',
  'WORKER_LOST',
];

/**
 * The reasons for which an operation may be refused: those of its body and fields, and those named in the
 * options of its RPC.
 */
export function reasonsOf(route: Route, definitions: Definitions): ErrorReason[] {
  const { request } = definitions.method(route.rpcName);
  const fields = [...route.openFields, ...route.query.flatMap(({ field }) => field ?? [])];
  const names = new Set<Reason>([
    ...common,
    ...byBody[route.body.kind],
    ...(hasPicture(route.body) ? ofPictures : []),
    ...(request.fieldsArray.some((field) => rulesOf(field).required)
      ? ['MISSING_FIELD' as const]
      : []),
    ...(fields.some(({ type }) => type === 'score') ? ['INVALID_SCORE' as const] : []),
    ...route.refusals,
  ]);
  return definitions.reasons.filter(({ name }) => names.has(name));
}

/** The responses for an operation's refusals, by HTTP status. */
export function describeErrors(
  reasons: readonly ErrorReason[],
  routes: readonly Route[],
): Record<string, Schema> {
  const byStatus = new Map<number, ErrorReason[]>();
  for (const reason of reasons) {
    const http = toHttpStatus(codeOfReason[reason.name], reason.name);
    byStatus.set(http, [...(byStatus.get(http) ?? []), reason]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([one], [other]) => one - other)
      .map(([http, group]) => [String(http), describeStatus(http, group, routes)]),
  );
}

function describeStatus(
  http: number,
  reasons: readonly ErrorReason[],
  routes: readonly Route[],
): Schema {
  return {
    description: reasons.map(({ name, comment }) => `- \`${name}\`: ${comment}`).join('\n'),
    headers: {
      'x-request-id': { $ref: '#/components/headers/RequestId' },
      ...((http === 429 || http === 503) && {
        'retry-after': { $ref: '#/components/headers/RetryAfter' },
      }),
    },
    content: {
      'application/json': {
        // Not narrowed to these reasons: generated clients would have a class per operation and status.
        schema: { $ref: '#/components/schemas/ErrorResponse' },
        examples: Object.fromEntries(
          reasons.flatMap(({ name, code }) => {
            const example = errorExampleOf(name, routes);
            return example === undefined ? [] : [[name, { value: toBody(example, code) }]];
          }),
        ),
      },
    },
  };
}

function toBody({ message, reason, details }: ErrorExample, code: string): Schema {
  return { message, code, reason, request_id: '5c1d6b0e-6c0e-4c53-9f0a-6f2a8f5e3b1d', details };
}

/** The body of every refusal. */
export function errorSchema(reasons: readonly ErrorReason[]): Schema {
  return {
    type: 'object',
    description: 'Why a request was refused. Branch on `reason`, show `message` to people.',
    properties: {
      message: {
        type: 'string',
        description: 'A sentence that names the field, its value and what is wanted.',
      },
      code: {
        type: 'string',
        enum: [...new Set(reasons.map(({ code }) => code))].sort(),
        description: 'Name of the gRPC code.',
      },
      reason: {
        type: 'string',
        enum: reasons.map(({ name }) => name),
        description: 'Stable: never renamed. New ones may be added.',
      },
      request_id: { type: 'string', description: 'Finds the request in the logs.' },
      details: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Values for programs: `field`, `value`, `limit`, `begun`. Never a secret.',
      },
    },
    required: ['message', 'code', 'reason', 'request_id', 'details'],
  };
}
