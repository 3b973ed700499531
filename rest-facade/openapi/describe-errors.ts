import type { Refusal } from '../../runtime/errors/refusal.js';
import { renderError } from '../response/http-error.js';
import type { ErrorReason } from './refusals.js';
import { describeAnswer, type Schema } from './schema.js';

/** The responses for refusals, by HTTP status. @param refusals by their reasons */
export function describeErrors(
  refusals: ReadonlyMap<string, Refusal>,
  reasons: readonly ErrorReason[],
): Record<string, Schema> {
  const errors = reasons.flatMap(({ name, comment }) => {
    const refusal = refusals.get(name);
    return refusal === undefined ? [] : [{ name, comment, ...renderError(refusal, requestId) }];
  });
  const describeStatus = (status: number): Schema => {
    const here = errors.filter((error) => error.status === status);
    const examples = here.map(({ name, body }) => [name, { value: JSON.parse(body) as unknown }]);
    // Not narrowed to these reasons: generated clients would have a class per operation and status.
    const schema = { $ref: '#/components/schemas/ErrorResponse' };
    return describeAnswer(
      here.map(({ name, comment }) => `- \`${name}\`: ${comment}`).join('\n'),
      { 'application/json': { schema, examples: Object.fromEntries(examples) as Schema } },
      status === 429 || status === 503 ? { 'retry-after': { $ref: '#/components/headers/RetryAfter' } } : {},
    );
  };
  const statuses = new Set(errors.map(({ status }) => status));
  return Object.fromEntries([...statuses].map((status) => [status, describeStatus(status)]));
}

const requestId = '5c1d6b0e-6c0e-4c53-9f0a-6f2a8f5e3b1d';

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
