import { createConfig, requestLimitsOf } from '../../rest-facade/config.js';
import { createDocument } from '../../rest-facade/openapi/create-document.js';
import { loadRpcs } from '../../rest-facade/protos.js';
import { createRoutes } from '../../rest-facade/transcode/rules.js';
import { readVersion } from '../../runtime/version.js';
import type { OpenApiDocument, Operation, Parameter } from '../helpers/openapi.js';

interface Member {
  readonly type?: string | readonly string[];
  readonly description?: string;
}

/** The REST reference, generated from the OpenAPI document with the default limits: docs/rest.md. */
export function renderRestReference(): string {
  const document = createDocument(createRoutes(loadRpcs()), {
    version: readVersion(),
    limits: requestLimitsOf(createConfig({})),
  }) as OpenApiDocument;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([verb, operation]) =>
      renderOperation(`${verb.toUpperCase()} ${path}`, operation),
    ),
  );
  return [
    '# REST reference',
    'Generated from the OpenAPI document by `npm run docs`, with the default limits. A running service ' +
      'serves the document at `/openapi.json` and a page to try it at `/docs`.',
    (document['info'] as Member).description?.trim() ?? '',
    'What each reason means: [Errors](errors.md).',
    ...operations,
  ].join('\n\n');
}

function renderOperation(title: string, operation: Operation): string[] {
  const rows = [
    ...(operation.parameters ?? []).map((parameter) => renderParameter(parameter)),
    ...Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => {
      const required = (schema['required'] ?? []) as readonly string[];
      return Object.entries((schema['properties'] ?? {}) as Record<string, Member>).map(
        ([name, member]) => renderRow(name, 'body', member, required.includes(name)),
      );
    }),
  ];
  const types = Object.keys(operation.requestBody?.content ?? {});
  return [
    `## ${title}`,
    String(operation['description'] ?? operation['summary']),
    ...(types.length > 0 ? [`Body: ${types.map((type) => `\`${type}\``).join(' or ')}.`] : []),
    ...(rows.length > 0
      ? [['| name | in | type | meaning |', '|---|---|---|---|', ...rows].join('\n')]
      : []),
    ...renderExample(operation),
    renderRefusals(operation),
  ].filter((part) => part !== '');
}

function renderParameter(parameter: Parameter): string {
  const member = { ...(parameter.schema as Member), ...(parameter as Member) };
  const { type } = parameter.schema as Member;
  return renderRow(
    parameter.name,
    parameter.in,
    { ...member, ...(type && { type }) },
    parameter.required,
  );
}

function renderRow(name: string, place: string, member: Member, isRequired: boolean): string {
  const meaning = (member.description ?? '').replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
  const types = [member.type ?? 'string'].flat().join(' or ');
  const type = `${types}${isRequired ? ', required' : ''}`;
  return `| \`${name}\` | ${place} | ${type} | ${meaning} |`;
}

function renderExample({ responses }: Operation): string[] {
  const [example] = Object.values(responses['200']?.content ?? {}).map(
    (content) => content.example,
  );
  return example === undefined ? [] : [`\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``];
}

/** `400: MISSING_FIELD, … · 401: …` */
function renderRefusals({ responses }: Operation): string {
  return Object.entries(responses)
    .filter(([status]) => status !== '200')
    .map(([status, { description }]) => {
      const reasons = [...description.matchAll(/^- `([A-Z0-9_]+)`/gm)].map(([, reason]) => reason);
      return reasons.length > 0 ? `- ${status}: ${reasons.join(', ')}` : `- ${status}`;
    })
    .join('\n');
}
