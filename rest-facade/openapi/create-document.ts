import { readFileSync } from 'node:fs';
import { shuttingDown } from '../../runtime/errors/refusal.js';
import { readVersion } from '../../runtime/process/version.js';
import { type Api, publicApi } from '../apis.js';
import type { RequestLimits } from '../config.js';
import { coreUnavailable } from '../core-client/grpc-error.js';
import type { KeyHeader } from '../protos/rpcs.js';
import { groupRoutes } from '../request/choose-route.js';
import type { Route } from '../request/route.js';
import { describeErrors, errorSchema } from './describe-errors.js';
import { describeOperation } from './describe-operation.js';
import { createResponseSchemas } from './describe-response.js';
import { type ErrorReason, readReasons, tagOf } from './refusals.js';
import { commentOf, describeAnswer, formatBytes, type Schema, unwrap } from './schema.js';

const schemes: Readonly<Record<KeyHeader, { readonly name: string; readonly description: string }>> = {
  apikey: { name: 'apiKey', description: 'An API key, as created by `npm run admin -- keys create --label me`.' },
  adminkey: { name: 'adminKey', description: 'The key in `CORE_ADMIN_KEY`.' },
};

/**
 * The OpenAPI 3.1 document for the routes that this process serves: paths and bodies come from the method
 * options, wording from the comments of the protos, limits from the configuration.
 * @param routes their services have a key in common
 */
export function createDocument(routes: readonly Route[], limits: RequestLimits, api: Api = publicApi): Schema {
  const { title, summary, introduction } = api;
  const key = routes[0]?.rpc.key ?? 'apikey';
  const scheme = schemes[key];
  const reasons = readReasons();
  const responses = createResponseSchemas();
  const context = { reasons, responses, limits };
  const paths: Record<string, Record<string, Schema>> = {};
  for (const group of groupRoutes(routes, ({ verb, template }) => `${verb} ${template}`).values()) {
    const [{ rpc, template, verb }] = group;
    const isMain = routes.find((route) => route.rpc === rpc)?.template === template;
    const operation = describeOperation(group, isMain, context);
    paths[template] = { ...paths[template], [verb.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: readVersion(),
      summary,
      description: introduce(introduction, limits),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative to the document, which a proxy may serve under a prefix.
    servers: [{ url: '.', description: 'This service.' }],
    security: [{ [scheme.name]: [] }],
    tags: describeTags(routes),
    paths: { ...paths, ...describeHealth(reasons) },
    components: {
      securitySchemes: {
        [scheme.name]: {
          type: 'apiKey',
          in: 'header',
          name: key,
          description: `${scheme.description} \`x-api-key\` and \`Authorization: Bearer\` are other names of this header.`,
        },
      },
      headers: {
        RequestId: {
          description: "The caller's own `x-request-id`, or one generated for the request.",
          schema: { type: 'string' },
        },
        RetryAfter: { description: 'After how many seconds to try again.', schema: { type: 'integer', minimum: 0 } },
      },
      schemas: { ...responses.schemas, ErrorResponse: errorSchema(reasons), Health: health },
    },
  };
}

function describeTags(routes: readonly Route[]): Schema[] {
  const byTag = new Map(routes.map((route) => [tagOf(route), route]));
  const services = [...byTag].map(([name, { rpc }]) => ({ name, description: commentOf(rpc.method.parent ?? {}) }));
  return [...services, { name: 'Health', description: 'Needs no key.' }];
}

const introductions = new URL('../../../rest-facade/web/docs/', import.meta.url);

/** The introduction, its paragraphs on one line each, since the viewer keeps line breaks. */
function introduce(introduction: string, limits: RequestLimits): string {
  const shown: Readonly<Record<string, string | number>> = {
    image: formatBytes(limits.maxImageBytes),
    body: formatBytes(limits.maxBodyBytes),
    fields: limits.maxFormFields,
    files: limits.maxBatchFiles,
    batch: formatBytes(limits.maxBatchBytes),
    field: formatBytes(limits.maxFieldBytes),
    seconds: limits.requestTimeoutMs / 1000,
  };
  return readFileSync(new URL(introduction, introductions), 'utf8')
    .split('\n\n')
    .map((part) => (/^[|<]/.test(part) ? part : unwrap(part)))
    .join('\n\n')
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => String(shown[name]));
}

const health = {
  type: 'object',
  properties: { message: { type: 'string', const: 'success', description: 'Always `success`.' } },
  required: ['message'],
};

/** The pages for probes, which are not in the protos. */
function describeHealth(reasons: readonly ErrorReason[]): Record<string, Schema> {
  const page = (operationId: string, summary: string, description: string, responses: object) => ({
    get: { operationId, tags: ['Health'], summary, description, security: [], responses },
  });
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Health' } } };
  const success = (description: string) => ({ 200: describeAnswer(description, content) });
  const notReady = new Map([coreUnavailable(undefined), shuttingDown()].map((refusal) => [refusal.reason, refusal]));
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
      { ...success('Ready.'), ...describeErrors(notReady, reasons) },
    ),
  };
}
