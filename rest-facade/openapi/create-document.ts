import type { RequestLimits } from '../config.js';
import type { Route } from '../request/rules.js';
import { describeErrors, errorSchema } from './describe-errors.js';
import { describeOperation, tagOf } from './describe-operation.js';
import { createResponseSchemas } from './describe-response.js';
import { type ErrorReason, readReasons } from './refusals.js';
import { commentOf, formatBytes, type Schema } from './schema.js';

/** What the document contains beyond the protos. */
export interface DocumentOptions {
  readonly version: string;
  readonly limits: RequestLimits;
}

/**
 * The OpenAPI 3.1 document for the routes that this process serves: paths and bodies come from the method
 * options, wording from the comments of the protos, limits from the configuration.
 */
export function createDocument(routes: readonly Route[], options: DocumentOptions): Schema {
  const reasons = readReasons();
  const responses = createResponseSchemas();
  const context = { reasons, responses, maxImageBytes: options.limits.maxImageBytes };
  const paths: Record<string, Record<string, Schema>> = {};
  for (const group of groupByAddress(routes)) {
    const [{ rpcName, template, verb }] = group;
    const isMain = routes.find((route) => route.rpcName === rpcName)?.template === template;
    const operation = describeOperation(group, isMain, context);
    paths[template] = { ...paths[template], [verb.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Image analysis',
      version: options.version,
      summary: 'Detects faces and reads water meters in pictures.',
      description: describeService(options.limits),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative to the document, which a proxy may serve under a prefix.
    servers: [{ url: '.', description: 'This service.' }],
    security: [{ apiKey: [] }],
    tags: describeTags(routes),
    paths: { ...paths, ...describeHealth(reasons) },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'apikey',
          description: 'An API key, as created by `npm run admin -- keys create --label me`.',
        },
      },
      headers: {
        RequestId: {
          description: "The caller's own `x-request-id`, or one generated for the request.",
          schema: { type: 'string' },
        },
        RetryAfter: {
          description: 'After how many seconds to try again.',
          schema: { type: 'integer', minimum: 0 },
        },
      },
      schemas: {
        ...responses.schemas,
        ErrorResponse: errorSchema(reasons),
        Health: health,
      },
    },
  };
}

function groupByAddress(routes: readonly Route[]): [Route, ...Route[]][] {
  const groups = new Map<string, [Route, ...Route[]]>();
  for (const route of routes) {
    const address = `${route.verb} ${route.template}`;
    groups.set(address, [...(groups.get(address) ?? []), route] as [Route, ...Route[]]);
  }
  return [...groups.values()];
}

function describeTags(routes: readonly Route[]): Schema[] {
  const byTag = new Map(routes.map((route) => [tagOf(route), route]));
  const services = [...byTag].map(([name, { rpc }]) => ({
    name,
    description: commentOf(rpc.method.parent ?? {}),
  }));
  return [...services, { name: 'Health', description: 'Needs no key.' }];
}

function describeService(limits: RequestLimits): string {
  const { maxImageBytes, maxBodyBytes, maxFormFields, maxFieldBytes, requestTimeoutMs } = limits;
  return `Every operation needs the header \`apikey\`. 200 means success; every error has the body
\`ErrorResponse\` with a stable \`reason\`. Names that an operation does not know are ignored, but fields that
belong in the body are refused in the query string, and so are two different values for one field. In
forms and queries, an empty value of an optional field is the same as an absent one. An unknown path gets
404 \`NO_SUCH_ROUTE\`, an unsupported method 405 \`METHOD_NOT_ALLOWED\` with \`Allow\`.

In forms and queries, a boolean is \`true\`, \`false\`, \`1\` or \`0\`, and a number a plain decimal without sign or exponent.

Any operation may be repeated: doing it twice has the same effect as once. Repeat it after 429 and 503, when the
seconds in \`Retry-After\` have passed (a few if it is absent), and after 504 or a lost connection; after other errors
it would most likely fail again. But if the \`details\` of a 503 have \`begun\`, a worker had started on the picture,
which may be what broke it: do not resend that picture automatically.

Every response has \`x-request-id\`, by which the logs find the request: the one that the caller sent, if it has at
most 128 letters, digits, \`-\` and \`_\`, otherwise a new one. Pages from the origins in \`REST_CORS_ORIGINS\` may call
the operations (CORS), without cookies, and may read \`x-request-id\` and \`Retry-After\`.

| limit | maximum |
|---|---|
| picture file | ${formatBytes(maxImageBytes)} |
| request body | ${formatBytes(maxBodyBytes)} |
| form | 1 file, ${maxFormFields} fields of up to ${formatBytes(maxFieldBytes)} |
| time per request | ${requestTimeoutMs / 1000} s |

Reasons and the codes in \`warnings\` are never renamed, but new ones may be added: a client must accept unknown
ones. For that, clients by openapi-generator need its option \`enumUnknownDefaultCase=true\`, which Java, TypeScript and
Go have; its Python clients refuse unknown ones.

The document's server is relative to the document, so clients generated from a saved copy need the address set.

By default, the core takes pictures of up to 50 megapixels and 16,384 pixels a side
(\`CORE_MAX_IMAGE_PIXELS\`, \`CORE_MAX_IMAGE_SIDE\`), and any number of requests per key
(\`CORE_RATE_LIMIT_PER_MINUTE\`).
`;
}

const health = {
  type: 'object',
  properties: {
    message: { type: 'string', const: 'success', description: 'Always `success`.' },
  },
  required: ['message'],
};

/** The pages for probes, which are not in the protos. */
function describeHealth(reasons: readonly ErrorReason[]): Record<string, Schema> {
  const page = (operationId: string, summary: string, description: string, responses: object) => ({
    get: { operationId, tags: ['Health'], summary, description, security: [], responses },
  });
  const success = (description: string) => ({
    200: {
      description,
      headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' } },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Health' } } },
    },
  });
  const notReady = reasons.filter(({ name }) => /^(CORE_UNAVAILABLE|SHUTTING_DOWN)$/.test(name));
  return {
    '/livez': page(
      'livez',
      'Whether the process is alive.',
      'Whether the process is alive. Asks nothing else: the core may be away.',
      success('Alive.'),
    ),
    '/readyz': page(
      'readyz',
      'Whether operations can be served.',
      'Whether operations can be served: the core is healthy, and this process is not shutting down.',
      { ...success('Ready.'), ...describeErrors(notReady, []) },
    ),
  };
}
