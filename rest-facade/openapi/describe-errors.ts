import { codeOfReason } from '../../runtime/errors/reasons.js';
import type { Route } from '../request/route.js';
import { toHttpStatus } from '../response/http-error.js';
import { errorExampleOf, type ErrorReason } from './refusals.js';
import { describeAnswer, type Schema } from './schema.js';

/** The responses for an operation's refusals, by HTTP status. */
export function describeErrors(reasons: readonly ErrorReason[], routes: readonly Route[]): Record<string, Schema> {
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

function describeStatus(http: number, reasons: readonly ErrorReason[], routes: readonly Route[]): Schema {
  const examples = reasons.flatMap((reason) => {
    const value = errorExampleOf(reason, routes);
    return value === undefined ? [] : [[reason.name, { value }]];
  });
  // Not narrowed to these reasons: generated clients would have a class per operation and status.
  const schema = { $ref: '#/components/schemas/ErrorResponse' };
  return describeAnswer(
    reasons.map(({ name, comment }) => `- \`${name}\`: ${comment}`).join('\n'),
    { 'application/json': { schema, examples: Object.fromEntries(examples) as Schema } },
    http === 429 || http === 503 ? { 'retry-after': { $ref: '#/components/headers/RetryAfter' } } : {},
  );
}

export function errorSchema(reasons: readonly ErrorReason[]): Schema {
  return {
    type: 'object',
    description: 'Why a request was refused. Branch on `reason`, show `message` to people.',
    properties: {
      message: { type: 'string', description: 'A sentence that names the field, its value and what is wanted.' },
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
        description:
          'Values for programs: `field` (what is at fault), `value` (what it is), `limit` (what it may be), `nearest` ' +
          '(the known name most like an unknown one), `method` and `allow` (405), `key_id` and `operation` ' +
          '(KEY_NOT_ALLOWED), `begun` (503: a worker had started on the picture), `retry_after` (in a line of a batch, as ' +
          'the header `Retry-After`). Never a secret.',
      },
    },
    required: ['message', 'code', 'reason', 'request_id', 'details'],
  };
}
